"""A small community in a box: the outside services over HTTP, playing one seeded story."""
