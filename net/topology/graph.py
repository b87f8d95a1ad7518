"""Any graph of switches as a network, such as one that a user's file describes."""

from functools import cached_property

from dsnswitch.net.topology.network import Field, Link, Network, Port

__all__ = ["Graph"]


class Graph(Network):
    """A network given by a list of links.

    A switch is ``(n,)``, its index in the list of names. Ports of a switch are numbered in the order in which its links are
    listed. All switches have the same number of ports, the greatest that any switch needs. The remaining ports of a switch have
    no link, and neither has the port of a host. A link that is listed again is a parallel link, with its own port at both ends.

    Parameters
    ----------
    title : str
        Title for readers, such as the name of the file.
    links : iterable of (str, str)
        Names of the two ends of every link.
    hosts : iterable of str
        Names that are hosts, not switches.

    Raises
    ------
    ValueError
        If both ends of a link are the same, a host does not have exactly one link, to a switch, or there is no switch.
    """

    def __init__(self, title, links, hosts=()):
        self._title = title
        hosts = dict.fromkeys(hosts)
        ends = _ends(title, links, hosts)
        #: ``{host: (switch, port)}``.
        self.hosts = {}
        for host in hosts:
            found = ends.pop(host, [])
            if len(found) != 1 or found[0][0] in hosts:
                listed = ", ".join(name for name, _ in found) or "none"
                raise ValueError(f"{title}: host {host} must have one link, to a switch, not {listed}")
            self.hosts[host] = found[0]
        if not ends:
            raise ValueError(f"{title} has no switch")
        #: Names of the switches, in the order of their numbers.
        self.names = tuple(ends)
        self._ends = ends
        number = {name: place for place, name in enumerate(self.names)}
        self.hosts = {host: ((number[name],), port) for host, (name, port) in self.hosts.items()}
        self._number = number
        self._most = max(map(len, ends.values()))

    @property
    def name(self):
        return f"graph_{len(self.names)}"

    @property
    def title(self):
        return self._title

    @property
    def spelling(self):
        return f"graph:{self._title}"

    @cached_property
    def fields(self):
        return (Field("switch", len(self.names)),)

    @cached_property
    def ports(self):
        return tuple(Port(index, f"port {index}", "link") for index in range(self._most))

    def port_count(self, switch):
        """Ports of a switch that have a link, to a switch or to a host; they are its first ones."""
        return len(self._ends[self.names[switch[0]]])

    def neighbour(self, switch, port):
        ends = self._ends[self.names[switch[0]]]
        if port >= len(ends) or ends[port][0] in self.hosts:
            return None
        name, there = ends[port]
        return (self._number[name],), there

    @property
    def link_count(self):
        return (sum(map(len, self._ends.values())) - len(self.hosts)) // 2

    def links(self):
        # Only the ports that a switch has: one switch of high degree gives all switches many ports.
        for switch in self.switches():
            for port in range(self.port_count(switch)):
                end = self.neighbour(switch, port)
                if end is not None and (switch, port) < end:
                    yield Link(switch, port, *end)

    def parse_switch(self, text):
        if text not in self._number:
            raise ValueError(f"{self._title} has no switch {text}")
        return (self._number[text],)

    def spell_switch(self, switch):
        return self.names[switch[0]]


def _ends(title, links, hosts):
    """``{name: [(name at the other end, port there)]}`` by port."""
    ends = {}
    for a, b in links:
        if a == b:
            raise ValueError(f"{title}: a link must have two ends, not {a} twice")
        first, second = ends.setdefault(a, []), ends.setdefault(b, [])
        first.append((b, len(second)))
        second.append((a, len(first) - 1))
    return ends
