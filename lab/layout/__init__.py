"""Placement and routing of mapped netlists on OSU 0.18 um cells: delay and area with wires, DEF, GDS and pictures."""
