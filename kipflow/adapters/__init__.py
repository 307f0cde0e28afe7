"""All input and output: the store and the clients of outside services."""
