"""All commands of a group, and of the groups within it."""

import click


def commands(group, path=()):
    """``(path, command)`` of every command of a group; a path is a tuple of names."""
    for name in group.list_commands(None):
        command = group.get_command(None, name)
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name), command
