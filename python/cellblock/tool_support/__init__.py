"""What the tools for agent frameworks share."""
