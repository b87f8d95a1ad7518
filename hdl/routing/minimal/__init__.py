"""Minimal routing of a DSN without tables: every packet takes a shortest path, decided hop by hop.

The base routing finishes x, then y, then goes to the destination's id, and takes 14 to 24 % more hops than the shortest path.
Here a switch knows which of its ports lie on a shortest path to each distance and id, and a generator turns that knowledge
into a few lines of logic for each id. Pure files come first, then the gateware box by box:

====================  =================================================================================
file                  contents
====================  =================================================================================
``distances.py``      hops to the destination from each id and distance; ports on a shortest path
``cover.py``          sums of products: the fewest cubes found between what must and what may be covered
``rules.py``          an ordered list of rules for each id: the first rule that matches names the port
``decisions.py``      rules of every id of a network, and the port that they choose
``relation.py``       the routing relation, with its virtual channel classes
====================  =================================================================================
"""
