"""String ops; all of them run on the host."""
