"""The board: a FastAPI application over the store's views."""
