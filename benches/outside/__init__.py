"""How often the causes that are seen from outside are named, against peers whose cause is known."""
