package dbserver

// This file starts PostgreSQL and MariaDB servers that run during a test.

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql" // driver "mysql"
	_ "github.com/jackc/pgx/v5/stdlib" // driver "pgx"
	"github.com/oneclock/ids/examples/internal/must"
)

// Postgres starts a PostgreSQL server for the test and returns the URL of a database on the server.
// It skips the test if PostgreSQL is not installed.
func Postgres(t testing.TB) string {
	t.Helper()
	initdb := program(t, "/usr/lib/postgresql/*/bin/initdb")
	// Use the postgres program from initdb's directory, so that both programs have the same
	// version.
	postgres := filepath.Join(filepath.Dir(initdb), "postgres")
	s := newServer(t)
	data := filepath.Join(s.dir, "data")
	s.prepare(t, initdb, "-D", data, "-U", "ids", "-A", "trust", "-E", "UTF8", "--no-sync")
	url := "postgres://ids@/postgres?host=" + s.dir
	s.serve(t, "pgx", url, syscall.SIGINT, // fast shutdown
		postgres, "-D", data, "-h", "", "-k", s.dir)
	return url
}

// MariaDB starts a MariaDB server for the test and returns the DSN of a database on the server. It
// skips the test if MariaDB is not installed.
func MariaDB(t testing.TB) string {
	t.Helper()
	install := program(t, "/usr/bin/mariadb-install-db")
	mariadbd := program(t, "/usr/sbin/mariadbd")
	s := newServer(t)
	data, socket := filepath.Join(s.dir, "data"), filepath.Join(s.dir, "socket")
	// When a server starts, it removes all temporary tables from its temporary directory, even
	// those of other servers. So each server gets its own directory.
	s.prepare(t, install, "--no-defaults", "--datadir="+data, "--tmpdir="+s.dir, "--auth-root-authentication-method=normal")
	dsn := "root@unix(" + socket + ")/test"
	s.serve(t, "mysql", dsn, syscall.SIGTERM,
		mariadbd, "--no-defaults", "--datadir="+data, "--tmpdir="+s.dir, "--skip-networking", "--socket="+socket, "--pid-file="+filepath.Join(s.dir, "pid"))
	return dsn
}

// program returns the path of a program, with symbolic links resolved. It searches PATH first, and
// then the directories in which Debian installs the program. The debian parameter is a pattern for
// the program's path on Debian.
func program(t testing.TB, debian string) string {
	t.Helper()
	path, err := exec.LookPath(filepath.Base(debian))
	if err != nil {
		versions, _ := filepath.Glob(debian)
		if versions == nil {
			t.Skipf("%s is not installed: neither in PATH nor as %s", filepath.Base(debian), debian)
		}
		path = slices.Max(versions)
	}
	path, err = filepath.EvalSymlinks(path)
	must.Do(t, err)
	return path
}

// A server is a database server that has a temporary directory and runs under a system account.
type server struct {
	dir     string
	account *syscall.Credential // nil: this process's account
}

func newServer(t testing.TB) *server {
	t.Helper()
	// Do not use t.TempDir. It creates a directory inside one that other accounts cannot access,
	// and the path of a socket in the new directory would be too long.
	dir, err := os.MkdirTemp("", "ids-server-")
	must.Do(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	if os.Geteuid() != 0 {
		return &server{dir, nil}
	}
	u, err := user.Lookup("nobody")
	if err != nil {
		t.Skipf("the servers refuse to run as root, and there is no other account: %v", err)
	}
	uid, err := strconv.Atoi(u.Uid)
	gid, errGid := strconv.Atoi(u.Gid)
	must.Do(t, errors.Join(err, errGid, os.Chown(dir, uid, gid)))
	return &server{dir, &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
}

func (s *server) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = s.dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: s.account}
	return cmd
}

// prepare runs a program that creates the server's files.
func (s *server) prepare(t testing.TB, name string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	if out, err := s.command(ctx, name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
}

// serve starts the server and waits until the server answers. When the test ends, serve stops the
// server by sending it the given signal.
func (s *server) serve(t testing.TB, driver, source string, stop syscall.Signal, name string, args ...string) {
	t.Helper()
	log, err := os.Create(filepath.Join(s.dir, "log"))
	must.Do(t, err)
	defer log.Close()
	ctx, end := context.WithCancel(context.Background())
	cmd := s.command(ctx, name, args...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr.Pdeathsig = stop // stop the server if this process dies
	cmd.Cancel = func() error { return cmd.Process.Signal(stop) }
	cmd.WaitDelay = 20 * time.Second
	must.Do(t, cmd.Start())
	t.Cleanup(func() {
		end()
		if err := cmd.Wait(); !cmd.ProcessState.Exited() {
			t.Errorf("%s did not stop within 20 s of its signal: %v", name, err)
		}
	})
	db, err := sql.Open(driver, source)
	must.Do(t, err)
	defer db.Close()
	for began := time.Now(); db.PingContext(ctx) != nil; time.Sleep(50 * time.Millisecond) {
		if time.Since(began) > 30*time.Second {
			said, _ := os.ReadFile(log.Name())
			t.Fatalf("the server does not answer within 30 s: %v\n%s", db.PingContext(ctx), said)
		}
	}
}
