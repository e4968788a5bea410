"""ROS 2 nodes: one file a node."""
