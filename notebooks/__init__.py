"""The practice notebook: how to change, build and test it is in README.md."""
