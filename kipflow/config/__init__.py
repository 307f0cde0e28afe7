"""Settings, communities and rosters: read, checked, and refused in one line that names file and key."""
