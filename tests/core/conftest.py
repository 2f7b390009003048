"""Settings of the core tests. Hypothesis always tries the same examples: a red test must be red for everybody."""

from hypothesis import settings

settings.register_profile("core", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("core")
