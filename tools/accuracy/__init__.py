"""`make accuracy`: how kipflow reads the real mail beside the project, every disagreement explained."""
