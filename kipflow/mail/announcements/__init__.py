"""The counts and names that a closing announcement gives, in the many ways people write them."""
