from hypothesis import settings

# The same examples in every run, and no clock: a busy machine must not fail a test.
settings.register_profile("figures", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("figures")
