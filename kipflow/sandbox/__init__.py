"""A small community in a box: the outside services over HTTP, telling one seeded story."""
