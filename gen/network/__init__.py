"""Networks: parameters, readers and exports, routes of any graph, and the proof that these cannot deadlock."""
