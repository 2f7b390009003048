"""The mathematics of the lesson: pure functions in NumPy. Symbols, names and shapes are listed in README.md."""
