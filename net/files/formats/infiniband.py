"""InfiniBand: the subnet as ``ibnetdiscover`` prints it, and the identities of its nodes."""

import re
from collections import Counter
from typing import Any

from dsnswitch.net.files.formats import infiniband_tools
from dsnswitch.net.files.formats.content import Content, Identity, append, unnamed_hosts, wrong
from dsnswitch.net.files.formats.infiniband_tools import plain

_HEAD = re.compile(r'(Switch|Ca|Rt)\s+([0-9]{1,3})\s+"([SHR]-[0-9a-fA-F]{1,16})"\s*(?:#\s*"([^"]*)"(.*))?')
_PORT = re.compile(
    r'\[([0-9]{1,3})\](?:\[ext [0-9]+\])?(?:\(([0-9a-fA-F]{1,16})\))?\s+"([SHR]-[0-9a-fA-F]{1,16})"\[([0-9]{1,3})\]'
    r"(?:\[ext [0-9]+\])?\s*(?:\(([0-9a-fA-F]{1,16})\))?\s*(?:#(.*))?"
)
#: Lines that say more of a node, of the scan, or of the chassis of nodes (``-g``).
_OTHER = re.compile(
    r"(?:vendid|devid|sysimgguid|switchguid|caguid|rtguid)=0x[0-9a-fA-F]+.*|Chassis\s+[0-9]+.*|Non-Chassis Nodes|Hostname:.*|#.*"
)

_FIRST = re.compile(r"^(?:vendid=|(?:switch|ca|rt)guid=|(?:Switch|Ca|Rt)\s+[0-9]+\s+\")", re.M)


def recognise(head: str) -> Any:
    """Whether there is a line that begins a node of ibnetdiscover, or another line of the tools of InfiniBand."""
    return _FIRST.search(head) or infiniband_tools.tool_of(head) or infiniband_tools.has_messages(head)


def read(name: str, text: str) -> Any:
    """The :class:`Content` of a subnet. Ports keep their numbers, and parallel cables are links of their own.

    A host is a port of a channel adapter or router that has a cable; it has the name of its node, and ``/P`` and the port if the
    node has several such ports. A node has the name of its description, or that of ibnetdiscover (``S-`` and its GUID) if another
    one has the same description. A cable may be listed at one end or at both; one between ports of the same node is left out.
    """
    if not _FIRST.search(text) and (tool := infiniband_tools.tool_of(text)):
        raise infiniband_tools.refused(name, tool, "the graph is in that of ibnetdiscover without -l or -p")
    nodes, cables, port_ids, lids, node, notes = {}, {}, {}, {}, None, []
    for number, line in infiniband_tools.lines(name, text, notes):
        if not line or _OTHER.fullmatch(line):
            continue
        if head := _HEAD.fullmatch(line):
            node = head[3]
            if node in nodes:
                raise wrong(name, number, f"a node must be listed once, not {node} again")
            nodes[node] = (head[4] or "").strip(), (*_lids(head[5]), (0, 0))[0]
            continue
        port = _PORT.fullmatch(line)
        if not port or node is None:
            expected = 'a port such as [1] "H-1"[1](2) # ...' if node else 'a node such as Switch 36 "S-1" # ...'
            raise wrong(name, number, f"expected {expected}", line)
        here, there = (node, int(port[1])), (port[3], int(port[4]))
        for end, guid in ((here, port[2]), (there, port[5])):
            if guid:
                port_ids[end] = int(guid, 16)
        found, end = _lids(port[6]), there if node[0] == "S" else here
        if found and end[0][0] != "S":
            # Only the line of the host has the LMC.
            lids[end] = found[0][0], max(found[0][1], lids.get(end, (0, 0))[1])
        for one, other in ((here, there), (there, here)):
            if cables.setdefault(one, (other, number))[0] != other:
                raise wrong(name, number, f"port {one[1]} of {one[0]} leads elsewhere in line {cables[one][1]}")
    return _content(name, nodes, cables, port_ids, lids, notes)


def _lids(text):
    """``[(LID, LMC)]`` of a comment, without those in descriptions."""
    undescribed = re.sub(r'"[^"]*"', '""', text or "")
    return [(int(lid), int(lmc or 0)) for lid, lmc in re.findall(r"\blid ([0-9]{1,5})(?: lmc ([0-7]))?\b", undescribed)]


def _content(name, nodes, cables, port_ids, lids, notes):
    for (node, _), (_, number) in cables.items():
        if node not in nodes:
            raise wrong(name, number, f"{node} is at the end of a cable, but is no node of the file")
    shared = Counter(text for text, _ in nodes.values())
    spelt = {node: text if text and shared[text] == 1 else node for node, (text, _) in nodes.items()}
    plugs = [here for here, (there, _) in cables.items() if here[0] == there[0]]
    for here in plugs:
        del cables[here]
    if plugs:
        ends = "port leads" if len(plugs) == 1 else f"{len(plugs)} ports lead"
        notes.append(f"{ends} back to the same node, left out: port {plugs[0][1]} of {spelt[plugs[0][0]]}")
    ports = Counter(node for node, _ in cables)
    links, numbers, hosts, ids = [], [], {}, {}

    def label(node, port):
        if node[0] == "S":
            return spelt[node]
        host = f"{spelt[node]}/P{port}" if ports[node] > 1 else spelt[node]
        guid = int(node[2:], 16)
        hosts[host] = None
        lid, lmc = lids.get((node, port), (0, 0))
        ids[host] = Identity(guid, port_ids.get((node, port), guid), lid, nodes[node][0], lmc)
        return host

    for node, (text, (lid, lmc)) in nodes.items():
        if node[0] == "S":
            ids[spelt[node]] = Identity(int(node[2:], 16), int(node[2:], 16), lid, text, lmc)
    for here, (there, number) in cables.items():
        # The other end comes later in the dictionary.
        if cables[there][0] == here and (there not in cables or [here, there] == sorted((here, there))):
            append(links, (label(*here), label(*there)), name, number)
            numbers.append((here[1], there[1]))
    switches = [spelt[node] for node in nodes if node[0] == "S"]
    hosts |= {spelt[node]: None for node in nodes if node[0] != "S" and not ports[node]}
    return Content(links, list(hosts), switches, notes=notes, numbers=numbers, ids=ids)


def identities(network):
    """``{name of a switch, number of a host or its name: Identity}`` of a network: those of its file, or made-up ones.

    Made-up LIDs and GUIDs count the switches from 1, then the hosts.
    """
    found = getattr(network, "ids", {})
    if found:
        return found
    hosts = ends_of(network)
    switches = list(map(network.spell_switch, map(network.switch, range(network.nodes))))
    made = {switch: Identity(at, at, at, switch) for at, switch in enumerate(switches, 1)}
    first = len(made) + 1
    return made | {host: Identity(at << 16, at << 16 | 1, at, host) for at, (host, _, _) in enumerate(hosts, first)}


def ends_of(network):
    """``[(host, its switch, number of its port)]``; without named hosts, as many as the topology states, or one."""
    named = network.hosts
    if named:
        return [(host, switch, number_of(network, switch, port)) for host, (switch, port) in named.items()]
    found, last = [], {}
    for host, switch in unnamed_hosts(network):
        if switch not in last:
            last[switch] = max((number_of(network, switch, p.index) for p, _ in network.links_of(switch)), default=0)
        last[switch] += 1
        found.append((host, switch, last[switch]))
    return found


def number_of(network, switch, port):
    """The number of a port in an InfiniBand fabric: that of the file, or one more than its index."""
    numbers = getattr(network, "port_numbers", None)
    return numbers(switch)[port] if numbers and numbers(switch) else port + 1


def write(network, nodes, hosts, links) -> str:
    """The subnet as ibnetdiscover prints it. GUIDs and LIDs of a network that has none are made up."""
    ids, ends = identities(network), ends_of(network)
    at = {}
    for link in network.links():
        a, b = ((end, number_of(network, *end)) for end in ((link.source, link.port), (link.target, link.target_port)))
        at.setdefault(link.source, []).append((a[1], network.spell_switch(link.target), b[1]))
        at.setdefault(link.target, []).append((b[1], network.spell_switch(link.source), a[1]))
    for host, switch, port in ends:
        at.setdefault(switch, []).append((port, host, None))
    rows = ["# Topology file", "#"]
    for switch in nodes:
        own = ids[network.spell_switch(switch)]
        ports = sorted(at.get(switch, []))
        most = max((port for port, _, _ in ports), default=0)
        rows += [
            f"switchguid=0x{own.guid:x}({own.guid:x})",
            f'Switch\t{most} "S-{own.guid:016x}"\t\t# "{plain(own.text)}" base port 0 lid {own.lid} lmc {own.lmc}',
        ]
        for port, name, there in ports:
            peer = ids[name]
            if there is None:
                node = f'"H-{peer.guid:016x}"[{_adapter_port(name)}]({peer.port_guid:x})'
            else:
                node = f'"S-{peer.guid:016x}"[{there}]'
            rows.append(f'[{port}]\t{node}\t\t# "{plain(peer.text)}" lid {peer.lid} 4xEDR')
        rows.append("")
    adapters = {}
    for host, switch, port in ends:
        adapters.setdefault(ids[host].guid, []).append((_adapter_port(host), host, switch, port))
    for guid, found in adapters.items():
        found.sort()
        rows += [f"caguid=0x{guid:x}", f'Ca\t{found[-1][0]} "H-{guid:016x}"\t\t# "{plain(ids[found[0][1]].text)}"']
        for number, host, switch, port in found:
            own, peer = ids[host], ids[network.spell_switch(switch)]
            about = f'# lid {own.lid} lmc {own.lmc} "{plain(peer.text)}" lid {peer.lid} 4xEDR'
            rows.append(f'[{number}]({own.port_guid:x}) \t"S-{peer.guid:016x}"[{port}]\t\t{about}')
        rows.append("")
    return "\n".join(rows)


def _adapter_port(host):
    """The port of a channel adapter, from the name that :func:`read` gives a host."""
    found = re.search(r"/P([0-9]{1,3})$", host)
    return int(found[1]) if found else 1
