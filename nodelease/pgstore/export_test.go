package pgstore

// Access of the tests to private parts.

// MayLoseCommit is mayLoseCommit.
var MayLoseCommit = mayLoseCommit
