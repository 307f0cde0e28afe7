#!/bin/sh
# Print the first Python that kipflow can run on, or say in one line what is missing.
# PYTHON=/path/to/python overrides the search.
fits='import sys, venv, ensurepip; raise SystemExit(not (3, 11) <= sys.version_info[:2] < (3, 14))'
seen=""
for name in ${PYTHON:-python3.13 python3.12 python3.11 python3 python}; do
    # a name can be there and still not run (a version manager's stand-in), so each one is tried
    version=$("$name" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) || continue
    if "$name" -c "$fits" 2>/dev/null; then
        command -v "$name"
        exit 0
    fi
    seen="$seen $name=$version"
done
if [ -n "$seen" ]; then
    echo "kipflow needs Python 3.11, 3.12 or 3.13 with its venv module; found only:$seen. Install one, or name it: make PYTHON=/path/to/python3.12" >&2
else
    echo "kipflow needs Python 3.11, 3.12 or 3.13; ${PYTHON:-no python} could not be run. Install one, or name it: make PYTHON=/path/to/python3.12" >&2
fi
exit 1
