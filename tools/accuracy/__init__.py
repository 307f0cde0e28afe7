"""`make accuracy`: compares kipflow's reading of real mail with known results; every difference is explained."""
