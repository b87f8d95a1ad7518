"""Model of L-routing (D 4.2.2): whole local paths inside a supernode."""

from functools import cache

__all__ = ["TABLE_4_2", "TABLE_4_3", "local_path"]

# D Table 4.2 as printed, levels 1..8; "4,5" is the path after the first node. The printed header swaps From and To: the row
# is the packet's node, the column its target (docs/papers.md).
TABLE_4_2 = """
-    2    3    4    4,5  3,6  2,7  8
1    -    3    4    4,5  3,6  7    1,8
1    2    -    4    4,5  6    2,7  1,8
1    2    3    -    5    3,6  2,7  1,8
8,1  7,2  6,3  4    -    6    7    8
8,1  7,2  3    5,4  5    -    7    8
8,1  2    6,3  5,4  5    6    -    8
1    7,2  6,3  5,4  5    6    7    -
"""

# D Table 4.3 as printed: the alternative routes. Its lower half equals that of Table 4.2.
TABLE_4_3 = """
-    2    3    4    8,5  8,6  8,7  8
1    -    3    4    7,5  7,6  7    7,8
1    2    -    4    6,5  6    6,7  6,8
1    2    3    -    5    5,6  5,7  5,8
8,1  7,2  6,3  4    -    6    7    8
8,1  7,2  3    5,4  5    -    7    8
8,1  2    6,3  5,4  5    6    -    8
1    7,2  6,3  5,4  5    6    7    -
"""


def read_table(text):
    """The table as lists: ``table[source][target]`` has the ids after the source, counted from 0 (empty on the diagonal)."""
    return [
        [tuple(int(level) - 1 for level in cell.split(",")) if cell != "-" else () for cell in row.split()]
        for row in text.strip().splitlines()
    ]


_K4X2 = read_table(TABLE_4_2)


@cache
def local_path(supernode, source, target):
    """Ids on the papers' local path from ``source`` to ``target``, both included."""
    if source == target:
        return (source,)
    if supernode.name == "k4x2":
        return (source, *_K4X2[source][target])
    if supernode.name.startswith("ring-"):
        m = supernode.m
        up = [source]
        while up[-1] != target:
            up.append((up[-1] + 1) % m)
        down = [source]
        while down[-1] != target:
            down.append((down[-1] - 1) % m)
        return tuple(up if len(up) <= len(down) else down)
    if supernode.name.startswith("coc-"):
        # First to the target's column inside the node's own subgraph, then to the target's subgraph.
        corner = source // supernode.mn * supernode.mn + target % supernode.mn
        return tuple(dict.fromkeys((source, corner, target)))
    raise ValueError(f"The golden model has no supernode {supernode.name!r}")
