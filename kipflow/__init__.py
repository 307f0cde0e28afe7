"""kipflow: runs an open-source community's improvement proposals from its own mail and wiki."""

__version__ = "0.1.0"
