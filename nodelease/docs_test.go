package nodelease_test

import (
	"testing"

	"github.com/oneclock/ids/internal/docs"
)

// TestDocs compiles and runs what the pages of the repository show of this package.
func TestDocs(t *testing.T) {
	docs.Run(t, "nodelease", map[string]string{
		"ctx":   "context.Background()",
		"store": "nodelease.NewMemoryStore(1024, 15*time.Second)",
	})
}
