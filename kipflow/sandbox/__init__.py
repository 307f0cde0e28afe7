"""A small community in a box: the outside services over HTTP, with one seeded story."""
