"""Numbers of the virtual channels of a port, by the text of the manifest."""

from collections import namedtuple

#: A virtual channel: its virtual network, its class, and its number within the class.
Channel = namedtuple("Channel", "virtual_network virtual_class number")


class Channels:
    """The virtual channels of a port of a core: virtual networks one after the other, in each of them the classes.

    Parameters
    ----------
    port : dict
        An entry of ``core_ports`` of a manifest.
    """

    def __init__(self, port):
        networks = port.get("virtual_networks", [port])
        #: Channels of each class, by virtual network.
        self.spreads = [network["channels"] // port["classes"] for network in networks]
        self._all = [
            Channel(network, virtual_class, number)
            for network, spread in enumerate(self.spreads)
            for virtual_class in range(port["classes"])
            for number in range(spread)
        ]

    def __getitem__(self, channel):
        return self._all[channel]

    def place(self, virtual_network, virtual_class, number=0):
        """The number of a channel at the port."""
        return self._all.index((virtual_network, virtual_class, number))
