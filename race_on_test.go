//go:build race

package ids_test

const raceEnabled = true
