from __future__ import annotations

import warnings

with warnings.catch_warnings():
    # rclpy's message generator pulls in a parser that uses modules Python has deprecated.
    warnings.simplefilter("ignore", DeprecationWarning)
    import rclpy  # noqa: F401
    import rosidl_generator_py  # noqa: F401
