"""Settings of all tests."""

import signal

# A shell starts programs in the background with this signal ignored, and Python leaves it so.
signal.signal(signal.SIGINT, signal.default_int_handler)
