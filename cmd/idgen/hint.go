package main

import "strings"

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
	if name := respelled(args[0]); name != "" {
		return usageError(message + ". Did you mean " + name + "?")
	}
	if _, _, err := everyKind.read(args[0]); err == nil {
		return usageError(message + ". To see what is in an id: idgen inspect ID")
	}
	return usageError(message)
}

// meanings are what some words, which are not commands, may mean.
var meanings = map[string]string{
	"uuid": "uuid7 or uuid4", "guid": "uuid7 or uuid4", "uuidgen": "uuid4 (random) or uuid7 (sorts by time)",
	"new": "uuid7, uuid4, ulid or snowflake", "generate": "uuid7, uuid4, ulid or snowflake", "mint": "uuid7, uuid4, ulid or snowflake",
	"typeid": "uuid7 -prefix PREFIX",
	"parse":  "inspect", "decode": "inspect",
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
		if _, ok := commands()[strings.ToLower(arg)]; ok {
			return "options follow the command: idgen " + arg + " " + shortened(args[0]) + " …"
		}
		if line, ok := elsewhere[arg]; ok {
			return arg + " is not an option of idgen. Did you mean " + line + "?"
		}
	}
	return "options follow the command: idgen uuid7 -n 3"
}

// respelled returns the command that name is another spelling of, such as uuidv7, or "".
func respelled(name string) string {
	letters := strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(name))
	kind := strings.TrimRight(letters, "12345678")
	switch kind {
	case "", "v", "version", "uuidv", "guid", "guidv":
		letters = "uuid" + letters[len(kind):]
	}
	if _, ok := commands()[letters]; !ok {
		return ""
	}
	return letters
}
