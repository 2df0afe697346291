// Package mysqlstore leases Snowflake node numbers from MySQL or MariaDB, for
// [github.com/oneclock/ids/nodelease].
//
// The package supports MySQL 8.0, MySQL 8.4 and MariaDB 10.11. Its tests start their own MariaDB
// server, and the project's workflow also runs them on MySQL.
//
// Each store has its own connection. If that connection is in use, for example because several
// Minters share the store, a call opens an additional one. The DSN specifies the server, the user
// and the TLS settings, in the form that [mysql.ParseDSN] accepts. [Options.BeforeConnect] is for
// settings that a DSN cannot contain. The DSN's settings for autocommit, the SQL mode, isolation,
// time zones and found rows do not affect the store. The store uses no prepared statements, so the
// DSN may point to a proxy.
//
// Each write is a single UPDATE in autocommit mode. So no lock outlives a request, whatever happens
// to the client or the network. With every binary log format, a replica has the same rows as its
// source. Before each request, the store sends SET autocommit = 1, because a proxy may run each
// statement in a different session.
//
// The user must not have the SUPER, READ_ONLY ADMIN (MariaDB) or CONNECTION_ADMIN (MySQL)
// privilege. With one of these privileges, holders can still write to a server after a switchover
// has made it read-only, so IDs can repeat. The first Take reports such a privilege by calling
// [nodelease.Request.Warn].
//
// IDs can repeat if the server loses committed data, for example because it was restored from a
// backup, or because it is a replica that was promoted before it had received and executed all
// transactions. Semi-synchronous replication does not prevent this. With it, the server waits for
// replicas only until a timeout, or until KILL QUERY ends the wait. The server then continues
// without the replicas and does not inform the client. Stop all Minters before you restore a backup
// or promote such a replica. Restart them only after one window ([nodelease.Options.Window]) has
// elapsed and every clock has passed the time of the newest ID in your tables.
package mysqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/go-sql-driver/mysql"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/internal/conns"
	"github.com/oneclock/ids/nodelease/internal/faults"
	"github.com/oneclock/ids/nodelease/internal/mycheck"
	"github.com/oneclock/ids/nodelease/storekit"
)

// Options configures [Init] and [New]. The zero value selects the defaults. All processes that
// share a table must use the same Numbers and Layout.
type Options struct {
	// Table is the table's name. Empty means node_lease. The name may be qualified with a database
	// name, as in database.table. If Table contains no database name, the table is in the DSN's
	// database. Names are used exactly as given. Each layout needs its own table.
	Table string
	// Holder is a name for the process. Take writes it to the row of the leased number, to help
	// people who inspect the table. The maximum is 255 characters. If Holder is empty, Take writes
	// the host name and the process ID.
	Holder string
	// Numbers is the size of the store, which contains the node numbers from 0 to Numbers-1. Zero
	// means 1,024. The maximum is 1,048,576 or the number of nodes that Layout allows, whichever is
	// less.
	Numbers int64
	// TTL is how long a lease lasts if its holder does not renew it. The minimum is 1 s, and the
	// maximum is 365 days. Zero means 15 s.
	TTL time.Duration
	// Layout is the layout of the IDs. The zero value means Twitter's layout.
	Layout ids.SnowflakeLayout
	// AllowNoFsync allows a server whose innodb_flush_log_at_trx_commit or sync_binlog is not 1. It
	// is meant for tests. If the machine that runs such a server crashes, IDs can repeat.
	AllowNoFsync bool
	// BeforeConnect, if not nil, is called before each connection is made. It receives a copy of
	// the configuration from the DSN and may change that copy. For example, it can set TLS, a
	// DialFunc, or a Passwd that is a token or was read from a file.
	//
	// The context passed to BeforeConnect is done when the call that needs the connection is
	// canceled or times out. The call then stops waiting for BeforeConnect. So if BeforeConnect
	// hangs, each such call leaves a goroutine behind until BeforeConnect returns. BeforeConnect
	// must be safe for concurrent use. A panic in BeforeConnect ends the program. The caller cannot
	// recover from it, because BeforeConnect runs in its own goroutine.
	BeforeConnect func(context.Context, *mysql.Config) error

	wrap func(driver.Connector) driver.Connector // for tests; may be nil
}

// Store is a [nodelease.Store] in one InnoDB table, with a row for each number. The server's clock
// determines when leases expire. All times in the table are in UTC. The token column identifies the
// row's holder. Each Take generates a random token, which identifies the holder even after the
// server is restored from a backup. A counter would not do so, because its values would be reused
// after the restore. In the row with the number -1, the holder column contains the schema version
// and the layout of the IDs. Use [New] to create a Store.
type Store struct {
	opts     Options
	config   *mysql.Config // parsed from the DSN
	conns    *conns.Conns[*conn]
	table    string  // quoted
	warnings []error // found by New, reported by the first Take
	warnOnce sync.Once
}

// The token is NULL if the number was released or never taken. A NULL horizon means the zero time.
// A DATETIME(6) has microsecond precision and no time zone.
const createTable = `create table if not exists %s (
	number   int          not null primary key,
	token    varchar(36)  character set ascii collate ascii_bin,
	holder   varchar(255) character set utf8mb4 collate utf8mb4_bin,
	expires  datetime(6)  not null default '1970-01-01 00:00:00',
	horizon  datetime(6)
) engine = InnoDB`

const (
	hint        = "call mysqlstore.Init, or run leases init"
	headerPlace = "the column holder of the number -1"
	maxHolder   = 255
	noHolder    = `token = null, holder = null, expires = '1970-01-01 00:00:00'`
	datetime    = "2006-01-02 15:04:05.000000" // the server's format

	// Server error numbers.
	recordChanged = 1020
	lockWait      = 1205
	deadlock      = 1213
	conflict      = 3101 // Group Replication has rolled back the commit
)

// New returns a store in the database that dsn specifies, such as
// minter@tcp(db.example.com)/orders. Connecting and logging in may take at most 2 s in total,
// unless the DSN sets the timeout parameter. Close the Minters before the store.
//
// New needs only the SELECT and UPDATE privileges, and creates nothing. The error matches
// [nodelease.ErrRefused] if the user lacks one of these privileges, or if the table is incomplete,
// has a different version or is for a different layout. The error also matches ErrRefused if a
// crash could set a horizon back, for one of these reasons:
//
//   - The table is a view.
//   - The table's engine is not InnoDB.
//   - The server reports that innodb_flush_log_at_trx_commit is neither 1 nor 3. Only MariaDB has
//     the value 3.
//   - The server has a binary log and reports that sync_binlog is not 1.
//
// The first Take calls [nodelease.Request.Warn] if the server does not report the value of log_bin
// or of one of the settings above, or if the user has a privilege that allows writes while
// read_only is on. New also refuses a read-only server and read-only sessions. If opts is nil, New
// uses the defaults.
func New(ctx context.Context, dsn string, opts *Options) (*Store, error) {
	s, err := open(ctx, dsn, opts, false)
	if err != nil {
		return nil, fmt.Errorf("nodelease: mysql: %w", err)
	}
	return s, nil
}

// Init initializes the store. Call it once, before the first process starts. If the table or some
// of its rows are missing, Init creates them. To increase Numbers, call Init again with the new
// value. If nothing is missing, Init returns an error that matches [io/fs.ErrExist]. If the table
// has a different version or layout, the error matches [nodelease.ErrRefused].
//
// Do not call Init each time a process starts. New and Take return an error if the table is
// incomplete, because the horizons in the missing rows may have been lost. Init would create these
// rows again without their horizons, and IDs could repeat. After such a loss, stop all Minters.
// Call Init only after one window has elapsed and every clock has passed the time of the newest ID
// in your tables.
func Init(ctx context.Context, dsn string, opts *Options) error {
	s, err := open(ctx, dsn, opts, true)
	if err != nil {
		return fmt.Errorf("nodelease: mysql: %w", err)
	}
	s.Close()
	return nil
}

// Close closes the connection without waiting for the server. Calls in progress and later calls
// fail immediately, so close the Minters first. A second call does nothing.
func (s *Store) Close() { s.conns.Close() }

// open returns a store. If first is true, open creates the missing parts of the table. Otherwise,
// it checks the table.
func open(ctx context.Context, dsn string, opts *Options, first bool) (*Store, error) {
	s := new(Store)
	if opts != nil {
		s.opts = *opts
	}
	if err := storekit.Complete(&s.opts.Holder, &s.opts.Numbers, &s.opts.TTL, s.opts.Layout); err != nil {
		return nil, err
	}
	if n := utf8.RuneCountInString(s.opts.Holder); n > maxHolder {
		return nil, fmt.Errorf("Options.Holder has %d characters: the maximum is %d", n, maxHolder)
	}
	s.opts.Table = cmp.Or(s.opts.Table, "node_lease")
	var err error
	if s.table, err = mycheck.Table(s.opts.Table); err != nil {
		return nil, err
	}
	if s.config, err = parseDSN(dsn); err != nil {
		return nil, err
	}
	s.conns = conns.New(s.dial)
	err = s.withConn(ctx, func(ctx context.Context, c *conn) error {
		all, err := s.checkServer(ctx, c, !first)
		if err == nil {
			err = s.prepare(ctx, c, first)
		}
		s.warnings = nil // drop the warnings from an earlier attempt
		for _, f := range all {
			if f.Grade == faults.Told {
				s.warnings = append(s.warnings, errors.New("nodelease: mysql: "+f.Text))
			}
		}
		return err
	})
	if err != nil { // no connection is kept after an error
		return nil, fmt.Errorf("prepare the table %s: %w", s.opts.Table, err)
	}
	return s, nil
}

// parseDSN parses a DSN. Its errors contain no part of the DSN, because any part might be a
// password.
func parseDSN(dsn string) (*mysql.Config, error) {
	config, err := mysql.ParseDSN(dsn)
	// If there is no @ after the password in the DSN, config.Net contains one of the characters
	// below.
	if err != nil || strings.ContainsAny(config.Net, ":/@") {
		return nil, errors.New("the DSN does not have the form user:password@tcp(host:port)/database?name=value, or has an unknown value")
	}
	config.Logger = new(mysql.NopLogger) // all errors are returned
	return config, nil
}

// conn is a connection.
type conn struct {
	*sql.Conn
	db *sql.DB // its only connection is Conn
}

// Close ends the connection.
func (c *conn) Close() {
	_ = c.Conn.Close() // returns it to db
	_ = c.db.Close()
}

// dialTimeout is the timeout for connecting and logging in if the DSN specifies no timeout. It is
// short enough to leave the call enough time for another attempt.
const dialTimeout = 2 * time.Second

// dial makes a connection. It applies the store's own settings after it has called BeforeConnect.
func (s *Store) dial(ctx context.Context) (*conn, error) {
	config := s.config.Clone()
	if s.opts.BeforeConnect != nil {
		if err := s.opts.BeforeConnect(ctx, config); err != nil {
			return nil, fmt.Errorf("Options.BeforeConnect: %w", err)
		}
	}
	config.Timeout = cmp.Or(config.Timeout, dialTimeout)
	// RejectReadOnly would hide the server's error. It is not needed, because no connection is kept
	// after an error.
	config.RejectReadOnly = false
	var connector driver.Connector
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return nil, err
	}
	if s.opts.wrap != nil {
		connector = s.opts.wrap(connector)
	}
	db := sql.OpenDB(connector)
	// Unlike the driver's timeout, this timeout includes the login.
	loginCtx, cancel := context.WithTimeout(ctx, config.Timeout)
	defer cancel()
	c, err := db.Conn(loginCtx)
	if err == nil && loginCtx.Err() != nil { // the driver may have closed the connection
		_ = c.Close()
		err = loginCtx.Err()
	}
	if err != nil {
		db.Close()
		// The driver's own timeout may have expired first.
		if e, ok := errors.AsType[net.Error](err); (loginCtx.Err() != nil || ok && e.Timeout()) && ctx.Err() == nil {
			err = fmt.Errorf("no login within %v: %w", config.Timeout, err)
		}
		return nil, err
	}
	return &conn{c, db}, nil
}

// checkServer returns the faults that [mycheck.Look] finds. It also returns an error if the store
// must not be used because of one of these faults.
func (s *Store) checkServer(ctx context.Context, c *conn, write bool) (faults.List, error) {
	all, err := mycheck.Look(ctx, c, s.opts.Table, write)
	return all, cmp.Or(err, all.Err(s.opts.AllowNoFsync))
}

// prepare returns an error unless the table exists and is complete. If first is true, it creates
// the missing parts instead.
func (s *Store) prepare(ctx context.Context, c *conn, first bool) error {
	columns := func() error { // also checks that the user has the privilege to read them
		return c.QueryRowContext(ctx, fmt.Sprintf(`select count(*) from (select number, token, holder, expires, horizon from %s limit 0) c`, s.table)).
			Scan(new(int))
	}
	err := columns()
	if mycheck.Is(err, mycheck.UnknownTable, mycheck.UnknownDatabase) {
		if !first {
			return storekit.Missing("there is no such table", hint)
		}
		if _, err := c.ExecContext(ctx, fmt.Sprintf(createTable, s.table)); err != nil {
			return err
		}
		if _, err := s.checkServer(ctx, c, false); err != nil { // repeat the checks for the new table
			return err
		}
		err = columns()
	}
	if mycheck.Is(err, mycheck.UnknownColumn) {
		return faults.Refused(fmt.Errorf("%w: another version of package nodelease made the table, or another program", err))
	}
	if err != nil {
		return err
	}
	if first {
		return s.fill(ctx, c)
	}
	found, err := s.read(ctx, c)
	if err != nil {
		return err
	}
	return s.checkComplete(found, s.opts.Layout)
}

// fill creates either all missing rows or none. No other transaction in this package consists of
// more than one statement. If several sessions call fill at the same time, only one at a time gets
// past the first INSERT. After an error, the connection is closed, which also ends the transaction.
func (s *Store) fill(ctx context.Context, c *conn) error {
	exec := func(format string, args ...any) error {
		_, err := c.ExecContext(ctx, fmt.Sprintf(format, args...))
		return err
	}
	err := exec(`start transaction`)
	if err == nil {
		err = exec(`insert into %s (number, expires) values (-1, '9999-12-31 00:00:00') on duplicate key update number = number`, s.table)
	}
	if err != nil {
		return err
	}
	found, err := s.read(ctx, c)
	if err != nil {
		return err
	}
	own := storekit.Header(s.opts.Layout)
	if found.header == "" {
		err = exec(`update %s set holder = %s where number = -1`, s.table, mycheck.Text(own))
	} else if err = storekit.CheckHeader(headerPlace, found.header, own); err == nil && len(found.missing) == 0 {
		err = storekit.ErrMade
	}
	for batch := range slices.Chunk(found.missing, 1000) {
		if err == nil {
			err = exec(`insert into %s (number) values (%s)`, s.table, strings.Join(batch, "), ("))
		}
	}
	if err == nil {
		err = exec(`commit`)
	}
	return err
}

// contents is the result of read.
type contents struct {
	header  string
	now     time.Time // the server's time
	free    []storekit.Candidate
	missing []string // numbers without a row
}

// read reads the table.
func (s *Store) read(ctx context.Context, conn *conn) (*contents, error) {
	// The query returns the header and the server's time only in the row with the number -1. An
	// explicit limit takes precedence over sql_select_limit.
	rows, err := conn.QueryContext(ctx, fmt.Sprintf(`select number, cast(horizon as char), expires <= utc_timestamp(6),
		if(number = -1, holder, null), if(number = -1, cast(utc_timestamp(6) as char), null)
		from %s where number >= -1 and number < %d limit 2000000`, s.table, s.opts.Numbers))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	c := new(contents)
	present := make([]bool, s.opts.Numbers)
	for rows.Next() {
		var n storekit.Candidate
		var horizon, holder, now sql.NullString
		var free bool
		if err := rows.Scan(&n.Number, &horizon, &free, &holder, &now); err != nil {
			return nil, err
		}
		if n.Number < 0 {
			c.header = holder.String
			if c.now, err = time.Parse(datetime, now.String); err != nil {
				return nil, err
			}
			continue
		}
		present[n.Number] = true
		if horizon.Valid {
			if n.Horizon, err = time.Parse(datetime, horizon.String); err != nil {
				return nil, fmt.Errorf("the horizon of number %d is not a time: %q", n.Number, horizon.String)
			}
		}
		if free {
			c.free = append(c.free, n)
		}
	}
	for number, ok := range present {
		if !ok {
			c.missing = append(c.missing, strconv.Itoa(number))
		}
	}
	return c, rows.Err()
}

// checkComplete returns an error if a row is missing or the table has a different version or
// layout.
func (s *Store) checkComplete(c *contents, layout ids.SnowflakeLayout) error {
	switch {
	case len(c.missing) > 0:
		return storekit.Missing(fmt.Sprintf("the table lacks %d of %d rows", len(c.missing), s.opts.Numbers), hint)
	case c.header == "":
		return storekit.Missing("there is no row of the number -1", hint)
	}
	return storekit.CheckHeader(headerPlace, c.header, storekit.Header(layout))
}

// withConn calls f with a connection on which each statement is its own transaction. It calls f
// again if the server has rolled back a statement because of a conflict with other sessions. If an
// idle connection is dead, withConn detects this before it calls f.
//
// withConn does not query whether autocommit is on, because a proxy may answer for a different
// session. An UPDATE that is never committed would then look like a committed one. The UPDATE
// itself does not read the variable autocommit either, because a replica that executes the UPDATE
// has its own value.
func (s *Store) withConn(ctx context.Context, f func(context.Context, *conn) error) error {
	for tries := 1; ; tries++ {
		err := s.conns.Do(ctx, func(ctx context.Context, c *conn, _ bool) (again bool, err error) {
			if _, err := c.ExecContext(ctx, `set autocommit = 1`); err != nil {
				return true, err
			}
			return false, f(ctx, c)
		})
		if mycheck.Denied(err) {
			err = faults.Refused(err)
		}
		if !mycheck.Is(err, deadlock, lockWait, recordChanged, conflict) || ctx.Err() != nil || tries == 10 {
			return err
		}
		time.Sleep(rand.N(time.Duration(tries) * 10 * time.Millisecond))
	}
}

// update durably changes at most one row, and reports whether it changed a row.
func (s *Store) update(ctx context.Context, set, where string) (changed bool, err error) {
	err = s.withConn(ctx, func(ctx context.Context, c *conn) (err error) {
		changed, err = s.updateOn(ctx, c, set, where)
		return err
	})
	return changed, err
}

// updateOn is like update, but uses the connection c.
func (s *Store) updateOn(ctx context.Context, c *conn, set, where string) (changed bool, err error) {
	result, err := c.ExecContext(ctx, fmt.Sprintf(`update %s set %s where %s`, s.table, set, where))
	if err != nil {
		return false, err
	}
	n, err := result.RowsAffected()
	return n > 0, err
}

// grace is the maximum time for which Take keeps trying to take a number after its context is done.
// If the result is then unknown, Take may use the same time again to undo it. If Take stopped
// immediately, the server might still lease the number. The number would then stay leased although
// no process uses it.
const grace = time.Second

// Take implements [nodelease.Store]. It returns an error if r.Now differs from the server's clock
// by more than 24 h. Otherwise, a machine with a wrong clock could move the horizons of many
// numbers, one after another. Take also returns an error if r.Layout differs from the layout of the
// store's IDs, or if a row is missing.
func (s *Store) Take(ctx context.Context, r nodelease.Request) (nodelease.Grant, error) {
	if ctx.Err() != nil {
		return nodelease.Grant{}, context.Cause(ctx)
	}
	if r.Warn != nil {
		s.warnOnce.Do(func() {
			for _, warning := range s.warnings {
				r.Warn(warning)
			}
		})
	}
	graceCtx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(grace, cancel) })()
	g, err := s.take(graceCtx, r)
	if err != nil && !errors.Is(err, nodelease.ErrNoNumber) {
		err = fmt.Errorf("nodelease: mysql: take a number from the table %s: %w", s.opts.Table, err)
	}
	return g, err
}

// take reads the list of free numbers, and tries to take them one by one until it succeeds. It uses
// a single connection.
func (s *Store) take(ctx context.Context, r nodelease.Request) (g nodelease.Grant, err error) {
	l := &lease{store: s, number: -1, token: ids.NewV4().String()}
	var none error // error to return if all requests succeed but no number is taken
	err = s.withConn(ctx, func(ctx context.Context, c *conn) error {
		found, err := s.read(ctx, c)
		if err != nil {
			return err
		}
		if none = s.checkComplete(found, r.Layout); none == nil {
			none = storekit.CheckNow(r.Now, "the server's", found.now)
		}
		if none == nil && len(found.free) == 0 { // a server fault may be the cause
			none = nodelease.ErrNoNumber
			_, err = s.checkServer(ctx, c, false)
		}
		if none == nil {
			g, none, err = l.takeOne(ctx, c, found, r.Now)
		}
		return err
	})
	if err != nil && l.number >= 0 { // the server may have leased the number
		undoCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
		defer cancel()
		_, _ = s.update(undoCtx, noHolder, l.isHolder())
	}
	if err = cmp.Or(err, none); err != nil {
		return nodelease.Grant{}, err
	}
	return g, nil
}

// takeOne tries to take one of the free numbers in found. The now parameter is the time on the
// caller's clock.
func (l *lease) takeOne(ctx context.Context, c *conn, found *contents, now time.Time) (g nodelease.Grant, none, err error) {
	s, free := l.store, found.free
	// No median is needed, because take has compared now with the server's clock.
	storekit.Prefer(free, time.Time{}, now)
	set := fmt.Sprintf(`token = '%s', holder = %s, expires = %s`, l.token, mycheck.Text(s.opts.Holder), s.expiry())
	for i, tries := 0, 0; i < len(free); tries++ {
		n := free[i]
		l.number = n.Number
		// The UPDATE checks the row again. After the row was read, its holder may have extended the
		// lease, or another holder may have taken and released the number.
		taken, err := s.updateOn(ctx, c, set, fmt.Sprintf(`number = %d and expires <= utc_timestamp(6) and horizon <=> %s`, n.Number, literal(n.Horizon)))
		if err != nil {
			return g, nil, err
		}
		if taken {
			return nodelease.Grant{
				Number: n.Number, Horizon: n.Horizon, TTL: s.opts.TTL, Free: int64(len(free) - 1 - tries), FreeKnown: true, Lease: l,
			}, nil, nil
		}
		i += 1 + rand.IntN(1<<min(tries, 20)) // many processes try to take the first numbers
	}
	return g, nodelease.ErrNoNumber, nil
}

// expiry returns an SQL expression for the expiry time of a lease that is taken or extended now.
func (s *Store) expiry() string {
	return fmt.Sprintf(`utc_timestamp(6) + interval %d microsecond`, s.opts.TTL.Microseconds())
}

type lease struct {
	store  *Store
	number int64
	token  string
}

// isHolder returns an SQL condition that selects the row of l's number if l still holds that
// number.
func (l *lease) isHolder() string {
	return fmt.Sprintf(`number = %d and token = '%s'`, l.number, l.token)
}

// Extend implements [nodelease.Lease]. If the value of the expires column would not change, for
// example because the clock stands still, Extend adds a microsecond. Otherwise, the server would
// not count the row as changed, unless the DSN sets clientFoundRows.
func (l *lease) Extend(ctx context.Context, horizon time.Time) error {
	h, end := literal(horizon), l.store.expiry()
	return l.update(ctx, horizon, fmt.Sprintf(`expires = %s + interval (expires = %s) microsecond, horizon = %s`, end, end, h),
		l.isHolder()+` and (horizon is null or horizon <= `+h+`)`)
}

// Release implements [nodelease.Lease].
func (l *lease) Release(ctx context.Context, horizon time.Time) error {
	return l.update(ctx, horizon, noHolder+`, horizon = `+literal(horizon), l.isHolder())
}

func (l *lease) update(ctx context.Context, horizon time.Time, set, where string) error {
	if y := horizon.UTC().Year(); y < 1 || y > 9999 {
		return fmt.Errorf("nodelease: mysql: the horizon %v of number %d is not within the years 1 to 9999", horizon, l.number)
	}
	changed, err := l.store.update(ctx, set, where)
	switch {
	case err != nil:
		return fmt.Errorf("nodelease: mysql: update number %d: %w", l.number, err)
	case !changed:
		return nodelease.ErrLost
	}
	return nil
}

// literal returns t as an SQL literal. For the zero time, it returns null.
func literal(t time.Time) string {
	if t.IsZero() {
		return "null"
	}
	return "timestamp'" + t.UTC().Format(datetime) + "'"
}
