"""The same matrix figure in other frameworks, each in an environment of its own."""
