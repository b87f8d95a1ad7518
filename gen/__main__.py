"""``python -m dsnswitch.gen``: the same as the console command ``dsnswitch``."""

from .cli import main

main()
