package report

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// programs import a library, and print one id of it. The first is the empty program.
var programs = []struct{ name, path, print string }{
	{"nothing", "", ""},
	{"**ids**, door `uuid`", "github.com/oneclock/ids/uuid", `println(lib.NewV7().String())`},
	{"**ids**, door `ulid`", "github.com/oneclock/ids/ulid", `println(lib.Make().String())`},
	{"**ids**, door `snowflake`", "github.com/oneclock/ids/snowflake", `println(lib.Next().String())`},
	{"**ids**, the root", "github.com/oneclock/ids", `println(lib.NewV7().String())`},
	{"google/uuid", "github.com/google/uuid", `println(lib.NewString())`},
	{"gofrs/uuid", "github.com/gofrs/uuid/v5", `println(lib.Must(lib.NewV7()).String())`},
	{"Go's uuid", "uuid", `println(lib.NewV7().String())`},
	{"oklog/ulid", "github.com/oklog/ulid/v2", `println(lib.Make().String())`},
	{"bwmarrin/snowflake", "github.com/bwmarrin/snowflake", `node, _ := lib.NewNode(1); println(node.Generate().String())`},
	{"sony/sonyflake", "github.com/sony/sonyflake/v2", `node, _ := lib.New(lib.Settings{}); println(node.NextID())`},
	{"rs/xid", "github.com/rs/xid", `println(lib.New().String())`},
	{"segmentio/ksuid", "github.com/segmentio/ksuid", `println(lib.New().String())`},
}

// Size returns how many bytes importing each library, and minting one id and printing it, add
// to the empty program, in Markdown. dir is the folder of the module.
func Size(ctx context.Context, dir string, progress func(line string)) (string, error) {
	temp, err := os.MkdirTemp("", "compare")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(temp)
	var b strings.Builder
	b.WriteString("Built with `-trimpath -ldflags=\"-s -w\"`.\n\n")
	b.WriteString("| program | imports it | mints one id and prints it |\n| --- | ---: | ---: |\n")
	var empty int64
	for _, p := range programs {
		progress("size of " + p.name)
		if p.path == "" {
			if empty, err = size(ctx, dir, temp, "package main\n\nfunc main() {}\n"); err != nil {
				return "", err
			}
			fmt.Fprintf(&b, "| %s | %s B | |\n", p.name, Thousands(int(empty)))
			continue
		}
		if p.path == "uuid" && !hasStd(ctx, dir) {
			continue
		}
		imported, err := size(ctx, dir, temp, fmt.Sprintf("package main\n\nimport _ %q\n\nfunc main() {}\n", p.path))
		if err != nil {
			return "", err
		}
		used, err := size(ctx, dir, temp, fmt.Sprintf("package main\n\nimport lib %q\n\nfunc main() { %s }\n", p.path, p.print))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "| %s | +%s KiB | +%s KiB |\n", p.name, kib(imported-empty), kib(used-empty))
	}
	return b.String(), nil
}

// kib returns a number of bytes in KiB.
func kib(n int64) string { return fmt.Sprintf("%d", (n+512)/1024) }

// hasStd reports whether the toolchain has a package uuid.
func hasStd(ctx context.Context, dir string) bool {
	return goCommand(ctx, dir, "list", "uuid") == nil
}

// size returns the size of a program, without symbols.
func size(ctx context.Context, dir, temp, program string) (int64, error) {
	source, binary := filepath.Join(temp, "main.go"), filepath.Join(temp, "main.exe")
	if err := os.WriteFile(source, []byte(program), 0o644); err != nil {
		return 0, err
	}
	if err := goCommand(ctx, dir, "build", "-trimpath", "-ldflags=-s -w", "-o", binary, source); err != nil {
		return 0, err
	}
	info, err := os.Stat(binary)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
