"""Images onto real boards: through the drive that a board in its boot mode shows, or through picotool."""
