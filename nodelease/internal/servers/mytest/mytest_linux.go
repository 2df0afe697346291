// Package mytest starts MariaDB servers on loopback for tests. It works on Linux only.
package mytest

import (
	"cmp"
	"database/sql"
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

// Variable names the environment variable with the DSN, such as root:secret@tcp(127.0.0.1:3306)/test, of a server that
// is used in place of one that Start starts. Its user may do everything.
const Variable = "NODELEASE_TEST_MYSQL"

// Start starts a server on loopback, with settings such as --log-bin, and returns it with its DSN. If Variable is set, it
// returns a nil Server with that DSN, unless the test needs settings: then it starts one.
func Start(t *testing.T, settings ...string) (*servers.Server, string) {
	t.Helper()
	if dsn := os.Getenv(Variable); dsn != "" && settings == nil {
		return nil, dsn
	}
	install, server := servers.Program(t, "mariadb-install-db", "mariadb-server"), servers.Program(t, "mariadbd", "mariadb-server")
	dir := must.Get(os.MkdirTemp("", "nodelease"))(t) // t.TempDir is too long for a socket
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
	dsn := "root@tcp(" + address + ")/test"
	Open(t, dsn).Close()
	return s, dsn
}

// Open returns connections to a server, which may need a moment after its start. Parameters, such as
// time_zone='-3:00', are added to the DSN.
func Open(t *testing.T, dsn string, parameters ...string) *sql.DB {
	t.Helper()
	config := must.Get(mysql.ParseDSN(dsn + "?" + strings.Join(parameters, "&")))(t)
	config.Logger = new(mysql.NopLogger) // servers are killed
	db := sql.OpenDB(must.Get(mysql.NewConnector(config))(t))
	db.SetMaxIdleConns(40)
	t.Cleanup(func() { db.Close() })
	must.Soon(t, func() error { return db.PingContext(t.Context()) })
	return db
}

// Exec carries out a statement.
func Exec(t *testing.T, db *sql.DB, statement string) {
	t.Helper()
	if _, err := db.ExecContext(t.Context(), statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// At returns the DSN of the same server by way of another address, or for a user without password and database, unless
// they are empty.
func At(t *testing.T, dsn, address, user string) string {
	t.Helper()
	config := must.Get(mysql.ParseDSN(dsn))(t)
	config.Addr = cmp.Or(address, config.Addr)
	if user != "" {
		config.User, config.Passwd, config.DBName = user, "", ""
	}
	return config.FormatDSN()
}

// Address returns that of the server.
func Address(t *testing.T, dsn string) string {
	t.Helper()
	return must.Get(mysql.ParseDSN(dsn))(t).Addr
}
