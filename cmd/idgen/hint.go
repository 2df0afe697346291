package main

import (
	"maps"
	"slices"
	"strings"
)

// unknown returns the error for a command line that does not begin with a command, with a hint at
// what may be meant.
func unknown(args []string) error {
	if strings.HasPrefix(args[0], "-") {
		return usageError(misplaced(args))
	}
	message := "unknown command " + quoted(args[0])
	if kinds, ok := meanings[strings.ToLower(args[0])]; ok {
		return usageError(message + ". Did you mean " + kinds + "?")
	}
	if name := nearest(args[0]); name != "" {
		return usageError(message + ". Did you mean " + name + "?")
	}
	if _, _, err := everyKind.read(args[0]); err == nil {
		return usageError(message + ". To see what is in an id: idgen inspect ID")
	}
	return usageError(message)
}

// meanings are what some words, which are not commands, may mean.
var meanings = map[string]string{
	"uuid": "uuid7 or uuid4", "guid": "uuid7 or uuid4",
	"new": "uuid7, uuid4, ulid or snowflake", "generate": "uuid7, uuid4, ulid or snowflake", "mint": "uuid7, uuid4, ulid or snowflake",
	"parse": "inspect", "decode": "inspect",
}

// elsewhere are options of the programs uuidgen and ulid, with what does the same here.
var elsewhere = map[string]string{
	"-7": "idgen uuid7", "--time-v7": "idgen uuid7", "-6": "idgen uuid6", "--time-v6": "idgen uuid6",
	"-r": "idgen uuid4", "--random": "idgen uuid4", "-t": "idgen uuid1", "--time": "idgen uuid1",
	"-s": "idgen uuid5 NAME", "--sha1": "idgen uuid5 NAME", "-m": "idgen uuid3 NAME", "--md5": "idgen uuid3 NAME",
	"-N": "idgen uuid5 NAME or idgen uuid3 NAME", "--name": "idgen uuid5 NAME or idgen uuid3 NAME",
	"-q": "idgen ulid", "--quick": "idgen ulid",
	"-f": "idgen inspect -field time ID", "--format": "idgen inspect -field time ID",
}

// misplaced returns the message on a command line that begins with an option: how to write it here.
func misplaced(args []string) string {
	for _, arg := range args {
		if _, ok := commands[strings.ToLower(arg)]; ok {
			return "options follow the command: idgen " + arg + " " + shortened(args[0]) + " …"
		}
		if line, ok := elsewhere[arg]; ok {
			return arg + " is not an option of idgen. Did you mean " + line + "?"
		}
	}
	return "options follow the command: idgen uuid7 -n 3"
}

// nearest returns the command that is most like name, or "" if none is.
func nearest(name string) (best string) {
	letters, digit := split(strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(name)))
	if digit != "" && (letters == "" || letters == "v" || letters == "version") {
		letters = "uuid"
	}
	// One slip in a short name, two in a long one.
	least := 2
	if len(letters) > 5 {
		least = 3
	}
	for _, command := range slices.Sorted(maps.Keys(commands)) {
		l, d := split(command)
		if n := slips(letters, l); d == digit && n < least {
			best, least = command, n
		}
	}
	return best
}

// split splits a name before the digits at its end.
func split(name string) (letters, digits string) {
	letters = strings.TrimRight(name, "0123456789")
	return letters, name[len(letters):]
}

// slips returns how many letters must be added, dropped or replaced to make b of a: the
// Levenshtein distance, of which row holds the distances of the beginnings of b.
func slips(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, diagonal+1, row[j]+1)
		}
	}
	return row[len(b)]
}
