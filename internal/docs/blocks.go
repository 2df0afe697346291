// Package docs compiles and runs the Go code in README.md, docs/*.md and docs/from/*.md, so that
// code copied from a page works. Its tests also check the links on the pages, the names that the
// pages mention, the packages uuid, ulid and snowflake, and the exported names in api.txt.
//
// A Go block is a fenced code block that begins with ```go. It contains statements or declarations.
// It may omit common imports, which are listed in the variable imports. A block that begins with
// "package main" is a complete program and must contain all its imports. If a comment follows a
// print statement on the same line, the statement must print the text of that comment:
//
//	fmt.Println(id.Version()) // 7
//
// If the output differs from run to run, it can be shown in a comment on the next line. Such a
// comment is not checked.
//
// An HTML comment on the line before a block can contain directives. The rendered page does not
// show them. These are the directives:
//
//	<!-- go: in examples/database -->        The block is in this module, not in the root module.
//	<!-- go: after the last -->              The block needs the declarations of the previous block.
//	<!-- go: is examples/recipes/restart --> The block is an exact copy of code in this folder.
package docs

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// Module is the name that directives and calls to [Run] use for the root module.
const Module = "."

// imports maps package names to import paths. It lists the imports that a block may omit.
var imports = map[string]string{
	"bytes": "bytes", "context": "context", "driver": "database/sql/driver", "errors": "errors", "flag": "flag", "fmt": "fmt", "http": "net/http",
	"httptest": "net/http/httptest", "io": "io", "json": "encoding/json", "log": "log", "os": "os", "rand": "math/rand/v2", "reflect": "reflect",
	"slices": "slices", "sql": "database/sql", "strings": "strings", "time": "time",
	"ids": "github.com/oneclock/ids", "uuid": "github.com/oneclock/ids/uuid", "ulid": "github.com/oneclock/ids/ulid",
	"snowflake": "github.com/oneclock/ids/snowflake", "clockfile": "github.com/oneclock/ids/clockfile",
	"nodelease": "github.com/oneclock/ids/nodelease", "memstore": "github.com/oneclock/ids/nodelease/memstore",
	"pgstore": "github.com/oneclock/ids/nodelease/pgstore", "typeid": "github.com/oneclock/ids/typeid", "sqlite": "modernc.org/sqlite",
	"graphql": "github.com/oneclock/ids/examples/with/graphql",
}

// A block is a fenced block of Go code on a page.
type block struct {
	page   string // relative to the root of the repository
	line   int    // number of the first line of code
	code   string
	module string
	// If folder is set, the block is a copy of code in that folder. That code is compiled and
	// tested instead of the block.
	folder string
	after  *block // block whose declarations this block needs
}

// Run compiles the blocks of a module into one program and runs it, with a subtest for each block.
// The last argument maps names, such as ctx, to Go expressions. Blocks can use these names without
// declaring them. Each name has the value of its expression.
func Run(t *testing.T, module string, given map[string]string) {
	root := Root(t)
	var run []*block
	var sources []string
	for _, b := range blocks(t, root) {
		if b.module != module || b.folder != "" {
			continue
		}
		source, err := b.source(root, given)
		if err != nil {
			t.Errorf("%s: %v", b, err)
			continue
		}
		run, sources = append(run, b), append(sources, source)
	}
	if len(run) == 0 {
		t.Fatalf("no page has a block of module %s", module)
	}
	out := execute(t, filepath.Join(root, filepath.FromSlash(module)), sources)
	for i, b := range run {
		t.Run(b.String(), func(t *testing.T) { b.check(t, out[i]) })
	}
}

// Root returns the directory of the root module.
func Root(t *testing.T) string {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "api.txt")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("no folder above has the root module's api.txt")
		}
	}
}

// pages returns the paths of README.md and of the pages in docs and docs/from. The paths are
// relative to root and use forward slashes.
func pages(root string) (all []string) {
	for _, pattern := range []string{"README.md", "docs/*.md", "docs/from/*.md"} {
		paths, _ := fs.Glob(os.DirFS(root), pattern) // the pattern is valid
		all = append(all, paths...)
	}
	return all
}

// read returns the text of a file, with its line endings converted to Unix line endings.
func read(t *testing.T, elem ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(elem...))
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(text), "\r\n", "\n")
}

// fence matches a Go block and, if present, the directive comment before it.
var fence = regexp.MustCompile("(?m)^(?:<!-- go: (.*) -->\n)?```go\\b.*\n((?s:.*?))^```")

// blocks returns the Go blocks on all pages.
func blocks(t *testing.T, root string) (all []*block) {
	for _, page := range pages(root) {
		var last *block
		text := read(t, root, filepath.FromSlash(page))
		for _, at := range fence.FindAllStringSubmatchIndex(text, -1) {
			b := &block{page: page, line: strings.Count(text[:at[4]], "\n") + 1, code: text[at[4]:at[5]], module: Module}
			if at[2] >= 0 {
				if err := b.direct(text[at[2]:at[3]], last); err != nil {
					t.Fatalf("%s: %v", b, err)
				}
			}
			all, last = append(all, b), b
		}
	}
	return all
}

// direct applies directives to b. The comment parameter is the text of the HTML comment before b.
// The last parameter is the previous block on the page, or nil if b is the first block.
func (b *block) direct(comment string, last *block) error {
	for word := range strings.SplitSeq(comment, "; ") {
		switch {
		case word == "after the last" && last != nil:
			b.after = last
		case strings.HasPrefix(word, "in "):
			b.module = strings.TrimPrefix(word, "in ")
		case strings.HasPrefix(word, "is "):
			b.folder = strings.TrimPrefix(word, "is ")
		default:
			return fmt.Errorf("the comment before it says %q", word)
		}
	}
	return nil
}

var indentation = regexp.MustCompile(`(?m)^\t+`)

// inProgram checks the Go files in b.folder. It reports whether at least one of these files
// contains the block's code, ignoring indentation, and whether the folder contains a test file.
func (b *block) inProgram(t *testing.T, root string) (found, tested bool) {
	// The pattern is valid, so there is no error.
	paths, _ := filepath.Glob(filepath.Join(root, filepath.FromSlash(b.folder), "*.go"))
	for _, path := range paths {
		code := indentation.ReplaceAllString(read(t, path), "")
		found = found || strings.Contains("\n"+code, "\n"+indentation.ReplaceAllString(b.code, ""))
		tested = tested || strings.HasSuffix(path, "_test.go")
	}
	return found, tested
}

func (b *block) String() string { return fmt.Sprintf("%s:%d", b.page, b.line) }

// importing matches the package clause and the imports at the beginning of a block. Only a complete
// program has a package clause.
var importing = regexp.MustCompile(`\A(?:package main\n+)?(?:import (?:\([^)]*\)|"[^"]*")\n+)?`)

// source returns the source code of a package with a function Run that executes the block.
func (b *block) source(root string, given map[string]string) (string, error) {
	imported := importing.FindString(b.code)
	code := b.code[len(imported):]
	line := b.line + strings.Count(imported, "\n")
	imported, whole := strings.CutPrefix(imported, "package main\n")
	call := ""
	if whole {
		call = "main(); "
	}
	at := fmt.Sprintf("//line %s:%d\n", filepath.Join(root, filepath.FromSlash(b.page)), line)
	before := ""
	if b.after != nil {
		before = importing.ReplaceAllString(b.after.code, "") + "\n"
	}
	body := "package b\n" + before + at + code + "\nfunc Run() error { " + call + "return nil }\n"
	var set strings.Builder
	if _, err := parser.ParseFile(token.NewFileSet(), "", body, 0); err != nil {
		begin := "package b\n" + before + "func Run() error {\n"
		end := "\nreturn nil\n}\n"
		f, err := parser.ParseFile(token.NewFileSet(), "", begin+at+code+end, 0)
		if err != nil {
			return "", err
		}
		declared, used := map[string]bool{}, names(f)
		for _, m := range declaring.FindAllStringSubmatch(code, -1) {
			for name := range strings.SplitSeq(m[1]+m[2], ", ") {
				declared[name] = true
			}
		}
		delete(declared, "_")
		for _, name := range slices.Sorted(maps.Keys(given)) {
			if used[name] && !declared[name] {
				fmt.Fprintf(&set, "%s := %s\n", name, given[name])
			}
		}
		// In a reader's program, later code would use the block's variables and check its error.
		if declared["err"] {
			end = "\nreturn err\n}\n"
		}
		for _, name := range slices.Sorted(maps.Keys(declared)) {
			end = "\n_ = " + name + end
		}
		body = begin + set.String() + at + code + end
	}
	f, err := parser.ParseFile(token.NewFileSet(), "", body, 0)
	if err != nil {
		return "", err
	}
	used := names(f)
	header := strings.Builder{}
	header.WriteString("package b\n" + imported)
	for _, name := range slices.Sorted(maps.Keys(imports)) {
		if !whole && used[name+"."] && !strings.Contains(imported, `"`+imports[name]+`"`) {
			fmt.Fprintf(&header, "import %s %q\n", name, imports[name])
		}
	}
	return header.String() + strings.TrimPrefix(body, "package b\n"), nil
}

// names returns all names that f uses. For a name that is followed by a selector, the result also
// contains the name with a trailing dot, for example "fmt." for fmt.Println.
func names(f *ast.File) map[string]bool {
	used := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok {
				used[x.Name+"."] = true
			}
		case *ast.Ident:
			used[n.Name] = true
		}
		return true
	})
	return used
}

// declaring matches an unindented statement that declares variables. It captures the names of the
// variables.
var declaring = regexp.MustCompile(`(?m)^(?:var (\w+)|(\w+(?:, \w+)*) :=)`)

// folder is the name of the program's directory, which exists only in the go command's overlay.
const folder = "zz_blocks"

// program returns the source of a main package that runs n blocks one after another. The path
// parameter is the import path of that package.
func program(path string, n int) string {
	var imports, runs strings.Builder
	for i := range n {
		fmt.Fprintf(&imports, "import b%d \"%s/b%d\"\n", i, path, i)
		fmt.Fprintf(&runs, "b%d.Run,", i)
	}
	return "package main\n\nimport \"fmt\"\n" + imports.String() + `
func main() {
	for i, run := range []func() error{` + runs.String() + `} {
		fmt.Print("\x00", i, "\n")
		func() {
			defer func() {
				if r := recover(); r != nil {
					fmt.Print("\x01panic: ", r)
				}
			}()
			if err := run(); err != nil {
				fmt.Print("\x01error: ", err)
			}
		}()
	}
}
`
}

// command runs a program in dir and returns its standard output. The program must succeed within 5
// minutes.
func command(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s\n%s", name, args, err, out, stderr.Bytes())
	}
	return string(out)
}

// execute builds the sources as one program inside the module at dir, runs the program, and returns
// the output of each block.
func execute(t *testing.T, dir string, sources []string) []string {
	temp := t.TempDir()
	path := strings.TrimSpace(command(t, dir, "go", "list", "-m")) + "/" + folder
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	add := func(name, source string) {
		file := filepath.Join(temp, fmt.Sprintf("%d.go", len(overlay.Replace)))
		write(t, file, source)
		overlay.Replace[filepath.Join(dir, folder, name)] = file
	}
	add("main.go", program(path, len(sources)))
	for i, source := range sources {
		add(filepath.Join(fmt.Sprintf("b%d", i), "block.go"), source)
	}
	list, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(temp, "overlay.json"), string(list))
	binary := filepath.Join(temp, "blocks.exe")
	command(t, dir, "go", "build", "-overlay", filepath.Join(temp, "overlay.json"), "-o", binary, "./"+folder)
	t.Setenv("IDS_SNOWFLAKE_NODE", "7")
	parts := strings.Split(command(t, temp, binary), "\x00")[1:] // blocks write their files to temp
	for i := range parts {
		_, parts[i], _ = strings.Cut(parts[i], "\n") // remove the block's number
	}
	return parts
}

func write(t *testing.T, path, text string) {
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

var printing = regexp.MustCompile(`^\s*fmt\.Print(?:ln|f)\(.*\)(?:\s*// (.*))?$`)

// check compares out, which is the block's output, with the expected output in the block's
// comments.
func (b *block) check(t *testing.T, out string) {
	out, failure, failed := strings.Cut(out, "\x01")
	if failed {
		t.Errorf("%s: %s", b, failure)
	}
	got := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	n := 0
	for line := range strings.Lines(b.code) {
		m := printing.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if m == nil {
			continue
		}
		if m[1] != "" && (n >= len(got) || got[n] != m[1]) {
			t.Errorf("%s: the page says that it prints %q; it prints\n%s", b, m[1], out)
			return
		}
		n++
	}
}
