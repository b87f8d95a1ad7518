"""Modules and their instances in the order in which data passes them."""

import re

from dsnswitch.gen.emit.verilog.parse import Instance, identifiers


def data_path(modules, top):
    """Names of ``modules``, depth first from ``top``. Siblings have the order in which data passes them.

    An instance follows the instances whose outputs reach it without a register in between. If this does not determine the order,
    or the dependencies form a cycle, the order of the text is kept.
    """
    found = []

    def visit(name):
        if name in modules and name not in found:
            found.append(name)
            for instance in _ordered(modules[name], modules):
                visit(instance.module)

    visit(top)
    return found


def along_the_path(module, modules):
    """Items of ``module`` with its instances reordered along the data path. The positions of other items do not change."""
    instances = iter(_ordered(module, modules))
    return [next(instances) if isinstance(item, Instance) else item for item in module.items]


def _ordered(module, modules):
    """Instances of a module, each after those that drive its inputs."""
    instances = [item for item in module.items if isinstance(item, Instance)]
    drivers = _drivers(module, modules)
    done, open_ = [], set()

    def visit(instance):
        if instance in done or id(instance) in open_:
            return
        open_.add(id(instance))
        for source in _sources(instance, drivers, modules):
            visit(source)
        done.append(instance)

    for instance in instances:
        visit(instance)
    return done


def _drivers(module, modules):
    """Drivers of each wire: instances, and the right sides of statements that assign it without a register."""
    drivers = {}
    for item in module.items:
        if isinstance(item, Instance):
            for pin, value in item.connections:
                if modules[item.module].directions[pin] == "output":
                    for name in identifiers(value):
                        drivers.setdefault(name, []).append(item)
        elif assignment := re.fullmatch(r"  assign (.*?) = (.*);\n", item):
            for name in identifiers(assignment[1]):
                drivers.setdefault(name, []).append(assignment[2])
    return drivers


def _sources(instance, drivers, modules):
    """Instances whose outputs reach ``instance`` without a register in between, nearest first."""
    inputs = [
        name
        for pin, value in instance.connections
        if modules[instance.module].directions[pin] == "input"
        for name in identifiers(value)
    ]
    found, seen = [], set(inputs)
    while inputs:
        for driver in drivers.get(inputs.pop(0), ()):
            if isinstance(driver, Instance):
                found += [driver] if driver is not instance and driver not in found else []
                continue
            more = [name for name in identifiers(driver) if name not in seen]
            seen.update(more)
            inputs += more
    return found
