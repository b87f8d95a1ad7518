"""``python -m dsnswitch.gen``: the same as the console command ``dsnswitch``."""

from dsnswitch.gen.cli import main

main()
