"""Fields of structures, as manifests list them."""

from amaranth.lib import data


def fields(layout):
    """Name, first bit and last bit of every field of a layout; the names of nested fields are joined by dots."""
    found = []
    for name, field in layout:
        shape = field.shape
        if isinstance(shape, data.Layout):
            found += [
                {"name": f"{name}.{inner['name']}", "bits": [field.offset + bit for bit in inner["bits"]]}
                for inner in fields(shape)
            ]
        else:
            found.append({"name": str(name), "bits": [field.offset, field.offset + field.width - 1]})
    return found
