"""Routing with detours and registered straps: own address, input port and link states are decoded into registers.

Everything that they decide is known before a packet comes: the local hop toward every id, which shortcuts of this switch are
alive, and what a packet does that gives one up. The packet's header selects among these answers for every next shortcut of the
base routing. Meanwhile the coordinates of the destination are looked up; they say which shortcut is next, and select last.

====================  ===================================================================================
file                  contents
====================  ===================================================================================
``answers.py``        the layout of an answer, and selections among answers
``static_answers.py`` static: answers by id, by shortcut of this switch and header
``shortcut_rows.py``  static: the next shortcut of the base routing, for each coordinate of the destination
``axis.py``           the answer of one dimension
``route.py``          the whole route logic
====================  ===================================================================================
"""
