"""The public site: pages, feeds and data from the board's views, without anything meant for operators."""
