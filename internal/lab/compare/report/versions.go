package report

import (
	"context"
	"strings"
)

// others are the libraries that are measured.
var others = []string{
	"github.com/google/uuid", "github.com/gofrs/uuid/v5", "github.com/oklog/ulid/v2", "github.com/bwmarrin/snowflake",
	"github.com/sony/sonyflake/v2", "github.com/rs/xid", "github.com/segmentio/ksuid",
}

// Versions returns the versions of the other libraries, by the path of the module, as the
// go.mod in dir has them.
func Versions(ctx context.Context, dir string) (map[string]string, error) {
	out, err := goOutput(ctx, dir, append([]string{"list", "-m", "-f", "{{.Path}} {{.Version}}"}, others...)...)
	if err != nil {
		return nil, err
	}
	versions := make(map[string]string)
	for line := range strings.Lines(out) {
		path, version, _ := strings.Cut(strings.TrimSpace(line), " ")
		versions[path] = version
	}
	return versions, nil
}

// Toolchain returns the version of Go that runs the benchmarks of the module in dir.
func Toolchain(ctx context.Context, dir string) (string, error) {
	out, err := goOutput(ctx, dir, "env", "GOVERSION")
	return strings.TrimSpace(out), err
}

// VersionLine says which versions were measured.
func VersionLine(ctx context.Context, dir string) (string, error) {
	versions, err := Versions(ctx, dir)
	if err != nil {
		return "", err
	}
	var names []string
	for _, path := range others {
		names = append(names, strings.TrimPrefix(path, "github.com/")+" "+versions[path])
	}
	return strings.Join(names, ", "), nil
}
