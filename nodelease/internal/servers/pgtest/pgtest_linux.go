// Package pgtest starts PostgreSQL servers on loopback for tests. It works on Linux only.
package pgtest

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/oneclock/ids/nodelease/internal/must"
	"github.com/oneclock/ids/nodelease/internal/servers"
)

// unprivileged returns process attributes that make a command run as a user other than root. It
// also returns that user's ID. The attributes are necessary because PostgreSQL refuses to run as
// root.
func unprivileged(t *testing.T) (*syscall.SysProcAttr, int) {
	if os.Getuid() != 0 {
		return new(syscall.SysProcAttr), os.Getuid()
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		t.Skip("PostgreSQL does not run as root, and there is no user postgres")
	}
	uid, gid := must.Get(strconv.Atoi(u.Uid))(t), must.Get(strconv.Atoi(u.Gid))(t)
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, uid
}

// Start starts a server on loopback, with settings such as -c fsync=off, and returns it with its
// address.
func Start(t *testing.T, settings ...string) (*servers.Server, string) {
	t.Helper()
	return start(t, "", settings, "initdb", "-U", "test", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync")
}

// StartStandby starts a standby with the given name. The primary parameter is the address of the
// server from which the standby replicates.
func StartStandby(t *testing.T, primary, name string) (*servers.Server, string) {
	t.Helper()
	return start(t, ReadOnly, nil, "pg_basebackup", "-d", "postgres://test@"+primary+"/?application_name="+name, "-R", "-c", "fast", "--no-sync")
}

// ReadOnly is the URL option that makes Open connect only to a standby.
const ReadOnly = "&target_session_attrs=read-only"

// start runs a program that creates a server's data directory, and then starts the server. To wait
// for the server, start connects to it with the given options added to its URL.
func start(t *testing.T, options string, settings []string, program string, args ...string) (*servers.Server, string) {
	t.Helper()
	dir, run := Command(t, program)
	data := filepath.Join(dir, "data")
	if out, err := run(program, append(args, "-D", data)...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", program, err, out)
	}
	address := servers.FreePorts(1)[0]
	_, port, err := net.SplitHostPort(address)
	must.Do(t, err)
	s := servers.New(t, filepath.Join(dir, "log"), syscall.SIGQUIT, func() *exec.Cmd {
		return run("postgres", append([]string{"-D", data, "-p", port, "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=",
			"-c", "max_connections=200", "-c", "wal_level=logical"}, settings...)...)
	})
	Open(t, address, options).Close()
	return s, address
}

// StartPooler starts PgBouncer in front of the server at address, with mode as its pool_mode, and
// returns PgBouncer's own address.
func StartPooler(t *testing.T, address, mode string) string {
	t.Helper()
	dir, run := Command(t, "pgbouncer")
	host, port, _ := strings.Cut(address, ":")
	own := servers.FreePorts(1)[0]
	_, listen, _ := strings.Cut(own, ":")
	config := filepath.Join(dir, "pgbouncer.ini")
	text := fmt.Sprintf("[databases]\npostgres = host=%s port=%s user=test\n[pgbouncer]\n"+
		"listen_addr = 127.0.0.1\nlisten_port = %s\nunix_socket_dir =\n"+
		"auth_type = any\npool_mode = %s\ndefault_pool_size = 8\n", host, port, listen, mode)
	must.Do(t, os.WriteFile(config, []byte(text), 0o644))
	servers.New(t, filepath.Join(dir, "log"), syscall.SIGKILL, func() *exec.Cmd { return run("pgbouncer", config) })
	Open(t, own).Close()
	return own
}

// Command returns a new directory, and a function that creates commands to run in that directory as
// a user other than root. Command skips the test if the program is not installed.
func Command(t *testing.T, program string) (dir string, run func(program string, args ...string) *exec.Cmd) {
	t.Helper()
	path := func(program string) string { return servers.Program(t, program, "postgresql pgbouncer") }
	path(program)
	attr, uid := unprivileged(t)
	// Other users cannot access the parent directories of t.TempDir.
	dir = must.Get(os.MkdirTemp("", "nodelease"))(t)
	t.Cleanup(func() { os.RemoveAll(dir) })
	must.Do(t, os.Chown(dir, uid, -1))
	return dir, func(program string, args ...string) *exec.Cmd {
		cmd := exec.Command(path(program), args...)
		own := *attr
		cmd.Dir, cmd.SysProcAttr = dir, &own
		return cmd
	}
}

// Open returns a pool of connections to a server, and waits until the server accepts them. The
// strings in more, such as &user=test, are options that are appended to the URL.
func Open(t *testing.T, address string, more ...string) *pgxpool.Pool {
	t.Helper()
	pool := must.Get(pgxpool.New(t.Context(), URL(address)+strings.Join(more, "")))(t)
	t.Cleanup(pool.Close)
	must.Soon(t, func() error { return pool.Ping(t.Context()) })
	return pool
}

// WaitFor sets the synchronous standbys of a server, and waits until the setting has taken effect.
func WaitFor(t *testing.T, pool *pgxpool.Pool, names string) {
	t.Helper()
	Exec(t, pool, `alter system set synchronous_standby_names = '`+names+`'`)
	Exec(t, pool, `select pg_reload_conf()`)
	must.Soon(t, func() error {
		var got string
		if err := pool.QueryRow(t.Context(), `show synchronous_standby_names`).Scan(&got); err != nil || got != names {
			return fmt.Errorf("the server waits for %q, %w", got, err)
		}
		return nil
	})
	// Commits wait for the synchronous standbys that the checkpointer process has read from the
	// settings. The checkpointer reads the settings before it begins a requested checkpoint.
	Exec(t, pool, `checkpoint`)
}

// Exec executes a statement.
func Exec(t *testing.T, pool *pgxpool.Pool, sql string) {
	t.Helper()
	if _, err := pool.Exec(t.Context(), sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// URL returns the URL of the database on the server at the given address.
func URL(address string) string {
	return "postgres://test@" + address + "/postgres?sslmode=disable"
}
