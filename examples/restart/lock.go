package main

import "errors"

// ErrLocked is matched by the error for a state file that another process has open.
var ErrLocked = errors.New("in use by another process")
