"""Use cases: gather facts, let the domain decide, record decisions and effects."""
