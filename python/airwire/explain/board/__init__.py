"""What is said of rows of boards: verdicts, floors, and figures beside published ones."""
