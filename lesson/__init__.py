"""The page round the figures."""
