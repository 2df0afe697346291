package pgstore

// MayLoseCommit is mayLoseCommit.
var MayLoseCommit = mayLoseCommit
