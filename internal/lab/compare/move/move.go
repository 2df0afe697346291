// Package move moves a program to this library by the blocks that docs/migrating.md has for a shell.
package move

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Block returns the block for a shell with which a section of the page begins.
func Block(page, section string) (string, error) {
	text, err := os.ReadFile(page)
	if err != nil {
		return "", err
	}
	_, rest, found := strings.Cut(string(text), "\n## "+section+"\n\n```sh\n")
	block, _, closed := strings.Cut(rest, "```\n")
	if !found || !closed {
		return "", fmt.Errorf("%s: the section %q does not begin with a block for a shell", page, section)
	}
	return block, nil
}

// Goimports installs the program of that name into a folder.
func Goimports(folder string) error {
	cmd := exec.Command("go", "install", "golang.org/x/tools/cmd/goimports@v0.52.0")
	cmd.Env = append(os.Environ(), "GOBIN="+folder)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("installing goimports: %w:\n%s", err, out)
	}
	return nil
}

// Paste runs a block in a folder by a shell that finds goimports in another. A block that writes anything has failed.
func Paste(folder, shell, block, goimports string) error {
	cmd := exec.Command(shell, "-c", block)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "PATH="+goimports+string(filepath.ListSeparator)+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	if err == nil && len(out) > 0 {
		err = errors.New("it ended well, but wrote")
	}
	if err != nil {
		return fmt.Errorf("the block: %w:\n%s", err, out)
	}
	return nil
}
