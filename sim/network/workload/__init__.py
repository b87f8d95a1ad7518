"""What a network has to do: traffic patterns, delays, failures and tables, as users write them."""
