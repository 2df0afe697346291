package pgstore

// This file gives the tests access to unexported identifiers.

// MayLoseCommit is mayLoseCommit.
var MayLoseCommit = mayLoseCommit
