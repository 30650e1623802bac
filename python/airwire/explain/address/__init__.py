"""What is said of rows of boards at addresses, of which nothing but their answers is known."""
