// Package program lets the tests of a main package start the package's program. To do this, it runs
// the test binary, which then calls the program's main function instead of running tests.
package program

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/oneclock/ids/examples/internal/must"
)

// variable is the name of an environment variable. It is set in each process that a test starts.
const variable = "RUN_AS_PROGRAM"

// Main implements TestMain. In a process that was started by a test, Main calls main, which is the
// program's main function. In any other process, it runs the tests.
func Main(m *testing.M, main func()) {
	if os.Getenv(variable) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// A Program is a running program. Out and Err read the lines of its standard output and standard
// error. Err skips two reports of package clockfile, because a busy machine may pause the program:
// that the file could not be checked for a second, and that saving works again.
type Program struct {
	*os.Process
	Out, Err *bufio.Scanner

	cmd *exec.Cmd
}

// Start starts the program with the given arguments. It adds variableAndValue, for example
// NAME=value, to the program's environment. The program inherits no environment variables from the
// test. The program is killed after one minute or at the end of the test.
func Start(t testing.TB, variableAndValue string, args ...string) *Program {
	t.Helper()
	late, stop := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(stop)
	cmd := exec.CommandContext(late, os.Args[0], args...)
	cmd.Env = []string{variable + "=1", variableAndValue, "GORACE=atexit_sleep_ms=0"}
	out, err := cmd.StdoutPipe()
	must.Do(t, err)
	says, err := cmd.StderrPipe()
	must.Do(t, err)
	must.Do(t, cmd.Start())
	p := &Program{cmd.Process, bufio.NewScanner(out), bufio.NewScanner(says), cmd}
	p.Err.Split(splitReports)
	return p
}

// splitReports splits the input of a bufio.Scanner into lines and skips those about a pause.
func splitReports(data []byte, atEOF bool) (advance int, line []byte, err error) {
	for {
		n, line, err := bufio.ScanLines(data[advance:], atEOF)
		advance += n
		if n == 0 || !isAboutPause(string(line)) {
			return advance, line, err
		}
	}
}

// isAboutPause reports whether a line is a report that clockfile makes during or after a pause.
func isAboutPause(line string) bool {
	return strings.HasSuffix(line, ": cannot be checked: stat has not returned for 1s: i/o timeout; no IDs until a check succeeds") ||
		strings.Contains(line, ": saving works, up to ")
}

// End waits until the program ends and returns the output that has not been read yet.
func (p *Program) End() (out, says string, err error) {
	var both sync.WaitGroup
	both.Go(func() { out = rest(p.Out) })
	says = rest(p.Err)
	both.Wait()
	err = errors.Join(p.Out.Err(), p.Err.Err(), p.cmd.Wait())
	return out, says, err
}

func rest(lines *bufio.Scanner) (text string) {
	for lines.Scan() {
		text += lines.Text() + "\n"
	}
	return text
}
