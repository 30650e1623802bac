"""The reliability soak: a mixed server on a virtual board, under loss, cable pulls and resets, for days."""
