"""What is said of rows of links, and of captures of one."""
