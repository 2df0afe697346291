package docs

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestFileNames checks that each system can hold the files of the repository, and that a module zip can: with one file that it
// cannot, nobody could download the module.
func TestFileNames(t *testing.T) {
	paths := files(t, Root(t))
	if !slices.Contains(paths, "internal/docs/blocks.go") {
		t.Errorf("%d files were found, and this package not among them", len(paths))
	}
	for _, problem := range badNames(paths) {
		t.Error(problem)
	}
	for _, bad := range [][]string{
		{"nul"}, {"testdata/NUL.txt"}, {"con.d/a"}, {"Prn"}, {"aux.tar.gz"}, {"COM0"}, {"com9.go"}, {"lpt0"}, {"LPT9"}, {"nul .txt"},
		{"CONIN$"}, {"a<b"}, {"a>b"}, {"a:b"}, {`a"b`}, {"a|b"}, {"a?b"}, {"a*b"}, {`a\b`}, {"a'b"}, {"a`b"}, {"a;b"}, {"a\nb"},
		{"a\x7f"}, {"é"}, {"\xff"}, {"a."}, {"a./b"}, {"a "}, {"a /b"}, {".."}, {"./a"}, {"/a"}, {"a/"}, {"a//b"}, {""},
		{"README.md", "a", "readme.md"}, {"Docs/a", "docs/b"}, {"a", "A/b"},
	} {
		if got := badNames(bad); len(got) != 1 {
			t.Errorf("%q have the problems %q, want one", bad, got)
		}
	}
	good := []string{".ci/run", "-a", "a b/!#$%&()+,-.=@[]^_{}~", "a b/c", "nul_", "com", "com10", "con-1.txt", "null/x", "x.nul", "lpt/1"}
	if got := badNames(good); len(got) != 0 {
		t.Errorf("%q", got)
	}
}

// files returns the paths of all files of the repository, with slashes: those that git tracks, or all where there is no git.
func files(t *testing.T, root string) (paths []string) {
	out, err := exec.CommandContext(t.Context(), "git", "-C", root, "ls-files", "-z").Output()
	if err == nil {
		return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	}
	t.Logf("git ls-files: %v; all files in the folder are checked", err)
	for _, all := range folders(t, root, "*", true) {
		for _, p := range all {
			rel, _ := filepath.Rel(root, p)
			paths = append(paths, filepath.ToSlash(rel))
		}
	}
	return paths
}

var (
	// nameable are the ASCII characters that golang.org/x/mod/module.CheckFilePath allows. Others it allows if they are letters,
	// which file systems may compare or rewrite in ways of their own.
	nameable = regexp.MustCompile(`^[0-9A-Za-z!#$%&()+,.=@[\]^_{}~ -]+$`)
	// device is a name that Windows takes for a device, whatever comes after the first dot.
	device = regexp.MustCompile(`^(?i:con|prn|aux|nul|com[0-9]|lpt[0-9]|conin\$|conout\$) *(?:\.|$)`)
)

// badNames says what is wrong with paths: that not all systems or no module zip can hold one, or that some systems take two for one.
func badNames(paths []string) (problems []string) {
	seen := map[string]string{} // paths and the folders above, by their lower case
	for _, p := range paths {
		upTo := ""
		for name := range strings.SplitSeq(p, "/") {
			upTo = strings.TrimPrefix(upTo+"/"+name, "/")
			if !nameable.MatchString(name) || strings.HasSuffix(name, ".") || strings.HasSuffix(name, " ") || device.MatchString(name) {
				problems = append(problems, fmt.Sprintf("%q: no file can be named %q everywhere", p, name))
				continue
			}
			lower := strings.ToLower(upTo)
			if other, ok := seen[lower]; ok && other != upTo {
				problems = append(problems, fmt.Sprintf("%q: %q and %q differ only by case", p, upTo, other))
			}
			seen[lower] = upTo
		}
	}
	return problems
}
