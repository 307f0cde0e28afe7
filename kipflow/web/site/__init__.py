"""The public site: pages, feeds and data made from what the board reads, without anything meant for operators."""
