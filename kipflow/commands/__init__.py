"""The commands of `kipflow`, one module for each family; `kipflow.cli` puts them together."""
