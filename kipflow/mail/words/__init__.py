"""An author's own words to what they say about a vote: one module for each thing that words can do."""
