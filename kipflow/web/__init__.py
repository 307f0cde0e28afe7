"""The board: a FastAPI application that shows the store's views."""
