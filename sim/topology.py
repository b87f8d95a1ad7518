"""The addresses of switches as numbers."""


def address_of(network, switch):
    """The address of a switch as one number: the fields of the network, the first from bit 0."""
    number = 0
    for field, value in reversed([*zip(network.fields, switch)]):
        number = number << field.width | value
    return number
