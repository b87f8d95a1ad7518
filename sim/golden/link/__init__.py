"""Models of the links: gearbox, strict link and selected link."""
