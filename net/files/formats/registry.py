"""Every format of a file of a graph: how it is recognised, read and written."""

from collections import namedtuple

from dsnswitch.net.files.formats import (
    booksim,
    cray,
    dot,
    gml,
    graphml,
    infiniband,
    lgl,
    link_table,
    lists,
    node_link,
    ns3,
    own,
    simgrid,
    slurm,
)

#: ``recognise(head)`` looks at the first characters of a file, ``read(name, text)`` returns its :class:`Content`, and
#: ``write(network, nodes, hosts, links)`` returns the text of a network; None for a format that is not written.
Format = namedtuple("Format", "recognise read write")

#: Formats by name. The first that recognises a file reads it; edge lists come last, as they have no mark of their own.
FORMATS = {
    "json": Format(own.recognise, own.read, own.write),
    "node-link": Format(node_link.recognise, node_link.read, None),
    "cables": Format(own.recognise_cables, own.read_cables, own.write_cables),
    "simgrid": Format(simgrid.recognise, simgrid.read, simgrid.write),
    "graphml": Format(graphml.recognise, graphml.read, graphml.write),
    "dot": Format(dot.recognise, dot.read, dot.write),
    "gml": Format(gml.recognise, gml.read, gml.write),
    "ibnetdiscover": Format(infiniband.recognise, infiniband.read, infiniband.write),
    "anynet": Format(booksim.recognise, booksim.read, booksim.write),
    "cray": Format(cray.recognise, cray.read, None),
    "slurm": Format(slurm.recognise, slurm.read, None),
    "ns3": Format(ns3.recognise, ns3.read, None),
    "csv": Format(link_table.recognise, link_table.read, None),
    "lgl": Format(lgl.recognise, lgl.read, None),
    "adjacency": Format(lists.recognise_adjacency, lists.read_adjacency, lists.write_adjacency),
    "edges": Format(lambda head: True, lists.read, lists.write),
}
