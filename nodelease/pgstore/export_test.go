package pgstore

// Counts is counts.
var Counts = counts
