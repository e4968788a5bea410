"""An emulated bus of Dynamixel servos on a pseudo-terminal."""
