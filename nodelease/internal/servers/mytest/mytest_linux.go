// Package mytest starts MariaDB servers on loopback for tests. It works on Linux only.
package mytest

import (
	"cmp"
	"database/sql"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/oneclock/ids/nodelease/internal/must"
	"github.com/oneclock/ids/nodelease/internal/servers"
)

// Variable is the name of an environment variable. If that environment variable contains the DSN of
// a server, such as root:secret@tcp(127.0.0.1:3306)/test, tests use that server instead of starting
// one. The user in the DSN must have all privileges.
const Variable = "NODELEASE_TEST_MYSQL"

// Start starts a server on loopback, with settings such as --log-bin, and returns it with its DSN.
// If Variable is set and there are no settings, Start starts no server, and returns a nil Server
// and the DSN from Variable.
func Start(t *testing.T, settings ...string) (*servers.Server, string) {
	t.Helper()
	if dsn := os.Getenv(Variable); dsn != "" && settings == nil {
		return nil, dsn
	}
	install, server := servers.Program(t, "mariadb-install-db", "mariadb-server"), servers.Program(t, "mariadbd", "mariadb-server")
	dir := must.Get(os.MkdirTemp("", "nodelease"))(t) // the path of t.TempDir is too long for a socket
	t.Cleanup(func() { os.RemoveAll(dir) })
	data, me := filepath.Join(dir, "data"), must.Get(user.Current())(t)
	args := []string{"--no-defaults", "--datadir=" + data, "--tmpdir=" + dir, "--user=" + me.Username}
	if out, err := exec.Command(install, append(args, "--auth-root-authentication-method=normal")...).CombinedOutput(); err != nil {
		t.Fatalf("mariadb-install-db: %v\n%s", err, out)
	}
	address := servers.FreePorts(1)[0]
	_, port, err := net.SplitHostPort(address)
	must.Do(t, err)
	args = append(append(args, "--bind-address=127.0.0.1", "--port="+port, "--socket="+filepath.Join(dir, "socket"),
		"--pid-file="+filepath.Join(dir, "pid"), "--max-connections=300"), settings...)
	s := servers.New(t, filepath.Join(dir, "log"), syscall.SIGKILL, func() *exec.Cmd { return exec.Command(server, args...) })
	// By default, stores give up a login after 2 s, which can be too short on a busy machine.
	dsn := "root@tcp(" + address + ")/test?timeout=1m"
	Open(t, dsn).Close()
	return s, dsn
}

// StartPrimary starts a server from which StartReplica can replicate. The server has a binary log
// and a user for replication.
func StartPrimary(t *testing.T) (*servers.Server, string) {
	t.Helper()
	s, dsn := Start(t, "--server-id=1", "--log-bin", "--sync-binlog=1", "--gtid-strict-mode=1")
	Exec(t, Open(t, dsn), `drop user if exists ''@localhost; create user replica; grant replication slave on *.* to replica`)
	return s, dsn
}

// StartReplica starts a replica of the server whose DSN is primary. The id parameter is the
// replica's own server ID, which must be above 1. The given settings are added to the settings that
// every replica has.
func StartReplica(t *testing.T, primary string, id int, settings ...string) (*servers.Server, string) {
	t.Helper()
	s, dsn := Start(t, append(settings, fmt.Sprint("--server-id=", id), "--log-bin", "--log-slave-updates", "--sync-binlog=1", "--gtid-strict-mode=1")...)
	_, port, err := net.SplitHostPort(Address(t, primary))
	must.Do(t, err)
	Exec(t, Open(t, dsn), `change master to master_host='127.0.0.1', master_port=`+port+`, master_user='replica', master_use_gtid=slave_pos; start slave`)
	return s, dsn
}

// WaitForReplicas makes each commit on a primary wait, without a time limit, until a replica has
// acknowledged it. It then waits until the primary reports that the given number of replicas
// acknowledge commits.
func WaitForReplicas(t *testing.T, db *sql.DB, replicas string) {
	t.Helper()
	Exec(t, db, `set global rpl_semi_sync_master_enabled = 1; set global rpl_semi_sync_master_timeout = 4294967295`)
	must.Soon(t, func() error {
		var n string
		err := db.QueryRowContext(t.Context(), `show status like 'Rpl_semi_sync_master_clients'`).Scan(new(string), &n)
		if err == nil && n != replicas {
			err = fmt.Errorf("%s replicas acknowledge, want %s", n, replicas)
		}
		return err
	})
}

// Open returns a pool of connections to a server, and waits until the server accepts them. The
// parameters, such as time_zone='-3:00', are added to the DSN.
func Open(t *testing.T, dsn string, parameters ...string) *sql.DB {
	t.Helper()
	config := must.Get(mysql.ParseDSN(With(dsn, parameters...)))(t)
	config.Logger = new(mysql.NopLogger) // servers are killed
	db := sql.OpenDB(must.Get(mysql.NewConnector(config))(t))
	db.SetMaxIdleConns(40)
	t.Cleanup(func() { db.Close() })
	must.Soon(t, func() error { return db.PingContext(t.Context()) })
	return db
}

// With returns dsn with additional parameters.
func With(dsn string, parameters ...string) string {
	separator := "?"
	if strings.Contains(dsn[strings.LastIndex(dsn, "/")+1:], "?") { // a password may contain one
		separator = "&"
	}
	return dsn + separator + strings.Join(parameters, "&")
}

// Exec executes statements, which are separated by a semicolon and a space.
func Exec(t *testing.T, db *sql.DB, statements string) {
	t.Helper()
	for statement := range strings.SplitSeq(statements, "; ") {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

// At returns dsn with the given address and user. An empty address or user leaves that part
// unchanged. If user is not empty, the result has no password and no database.
func At(t *testing.T, dsn, address, user string) string {
	t.Helper()
	config := must.Get(mysql.ParseDSN(dsn))(t)
	config.Addr = cmp.Or(address, config.Addr)
	if user != "" {
		config.User, config.Passwd, config.DBName = user, "", ""
	}
	return config.FormatDSN()
}

// Address returns the server's address from dsn.
func Address(t *testing.T, dsn string) string {
	t.Helper()
	return must.Get(mysql.ParseDSN(dsn))(t).Addr
}
