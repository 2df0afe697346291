package dbserver

import (
	"context"
	"database/sql"
	"math/rand/v2"
	"net"
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
	"github.com/jackc/pgx/v5"
	"github.com/oneclock/ids/examples/internal/must"
)

// Postgres starts a PostgreSQL server for the test and returns the URL of a database in it. It
// skips the test where there is none.
func Postgres(t testing.TB) string {
	t.Helper()
	initdb := program(t, "initdb", "/usr/lib/postgresql/*/bin/initdb")
	postgres := filepath.Join(filepath.Dir(initdb), "postgres") // beside it, so of the same version
	account, dir := unprivileged(t), serverDir(t)
	data := filepath.Join(dir, "data")
	prepare(t, account, dir, initdb, "-D", data, "-U", "ids", "-A", "trust", "-E", "UTF8", "--no-sync")
	address, port := FreeAddress(t)
	url := "postgres://ids@" + address + "/postgres"
	connect := func(ctx context.Context) error {
		conn, err := pgx.Connect(ctx, url)
		if err != nil {
			return err
		}
		return conn.Close(ctx)
	}
	serve(t, account, dir, syscall.SIGINT, connect, // fast shutdown
		postgres, "-D", data, "-h", "127.0.0.1", "-p", port, "-k", dir)
	return url
}

// MariaDB starts a MariaDB server for the test and returns the DSN of a database in it. It
// skips the test where there is none.
func MariaDB(t testing.TB) string {
	t.Helper()
	install := program(t, "mariadb-install-db", "/usr/bin/mariadb-install-db")
	mariadbd := program(t, "mariadbd", "/usr/sbin/mariadbd")
	account, dir := unprivileged(t), serverDir(t)
	data := filepath.Join(dir, "data")
	// A server removes temporary tables of others when it starts: so they get a folder of their own.
	prepare(t, account, dir, install, "--no-defaults", "--datadir="+data, "--tmpdir="+dir, "--auth-root-authentication-method=normal")
	address, port := FreeAddress(t)
	dsn := "root@tcp(" + address + ")/test"
	db, err := sql.Open("mysql", dsn)
	must.Do(t, err)
	defer db.Close()
	serve(t, account, dir, syscall.SIGTERM, db.PingContext,
		mariadbd, "--no-defaults", "--datadir="+data, "--tmpdir="+dir, "--bind-address=127.0.0.1", "--port="+port,
		"--socket="+filepath.Join(dir, "socket"), "--pid-file="+filepath.Join(dir, "pid"))
	return dsn
}

// program finds a program in PATH or at one of the paths that Debian gives it, and follows links.
func program(t testing.TB, name, pattern string) string {
	t.Helper()
	candidates, _ := filepath.Glob(pattern)
	slices.Reverse(candidates) // the newest version first
	for _, candidate := range append([]string{name}, candidates...) {
		path, err := exec.LookPath(candidate) // takes executable files only
		if err != nil {
			continue
		}
		path, err = filepath.EvalSymlinks(path)
		must.Do(t, err)
		return path
	}
	t.Skipf("%s is not installed: neither in PATH nor as %s", name, pattern)
	return ""
}

// unprivileged returns the account to run servers under, since they refuse to be root: nil, for
// this one, if it is not root.
func unprivileged(t testing.TB) *syscall.Credential {
	t.Helper()
	if os.Geteuid() != 0 {
		return nil
	}
	u, err := user.Lookup("nobody")
	if err != nil {
		t.Skipf("the servers refuse to run as root, and there is no other account: %v", err)
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	must.Do(t, err)
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	must.Do(t, err)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}

// serverDir returns a temporary folder, removed when the test has ended. It is not t.TempDir, which lies in a folder
// that another account cannot enter, and has a name too long for a socket.
func serverDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "ids-server-")
	must.Do(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// prepare gives dir to the account and runs a program there that makes the server's files.
func prepare(t testing.TB, account *syscall.Credential, dir, name string, args ...string) {
	t.Helper()
	if account != nil {
		must.Do(t, os.Chown(dir, int(account.Uid), int(account.Gid)))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: account}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
}

// serve starts a server that stop ends when the test has ended, and waits until connect succeeds.
func serve(t testing.TB, account *syscall.Credential, dir string, stop syscall.Signal, connect func(context.Context) error, name string, args ...string) {
	t.Helper()
	log, err := os.Create(filepath.Join(dir, "log"))
	must.Do(t, err)
	defer log.Close()
	ctx, end := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: account, Pdeathsig: stop} // no server outlives this process
	cmd.Cancel = func() error { return cmd.Process.Signal(stop) }
	cmd.WaitDelay = 20 * time.Second
	must.Do(t, cmd.Start())
	t.Cleanup(func() {
		end()
		if err := cmd.Wait(); !cmd.ProcessState.Exited() {
			t.Errorf("%s did not stop within 20 s of its signal: %v", name, err)
		}
	})
	for began := time.Now(); connect(ctx) != nil; time.Sleep(50 * time.Millisecond) {
		if time.Since(began) > 30*time.Second {
			said, _ := os.ReadFile(log.Name())
			t.Fatalf("the server does not answer within 30 s: %v\n%s", connect(ctx), said)
		}
	}
}

// FreeAddress returns an address of 127.0.0.1 that nobody listens on, and its port, below the range from which the system
// gives ports to connections.
func FreeAddress(t testing.TB) (address, port string) {
	t.Helper()
	for range 1000 {
		port := strconv.Itoa(10_000 + rand.IntN(20_000))
		if l, err := net.Listen("tcp", "127.0.0.1:"+port); err == nil {
			l.Close()
			return "127.0.0.1:" + port, port
		}
	}
	t.Fatal("no free port")
	return "", ""
}
