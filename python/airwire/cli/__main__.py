"""``python -m airwire.cli`` is the command ``airwire``."""

from airwire.cli import main

if __name__ == "__main__":
    main()
