"""Links that the virtual bench models: what there are, their settings, and what is said of them."""
