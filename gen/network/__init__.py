"""Networks: parameters, readers and exports, routes on any graph, and the certificate of deadlock freedom."""
