// Package mysqlstore leases Snowflake node numbers from MySQL or MariaDB, for [github.com/oneclock/ids/nodelease].
//
// It is for MySQL 8.0 and 8.4 and MariaDB 10.11. Its tests start a MariaDB of their own; the project's workflow runs them
// on MySQL, too.
//
// A store has a connection of its own. The DSN names the server, the user and TLS, as [mysql.ParseDSN] reads it;
// [Options.BeforeConnect] has what a DSN cannot say. A call that finds the connection taken, as where several Minters share
// a store, makes another one for itself. Whatever the DSN says about autocommit, the SQL mode, isolation, time zones and found
// rows, the store does the same. It prepares no statements, so proxies may be in between.
//
// Each write is one UPDATE, which the server commits by itself: no lock outlives a request, whatever happens to the client or
// the network, and a replica has the same rows, whatever the format of the binary log. Before it, the store sends SET
// autocommit = 1 each time, since a proxy may give each statement another session.
//
// The user must not have the right SUPER, READ_ONLY ADMIN (MariaDB) or CONNECTION_ADMIN (MySQL): with it, holders go on
// writing on a server that a switchover has made read-only, and ids repeat. The first Take says so by Warn of its request.
//
// A server that forgets what it has committed makes ids repeat: one that is restored from a backup, or a replica that was
// promoted and had not received and executed all. Semi-synchronous replication waits for replicas only until its timeout,
// or until somebody ends the wait by KILL QUERY, and then goes on without them and tells nobody. Stop all minters
// before such a step, and start them a window later, and once every clock has passed the newest id in your tables.
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

// Options are the options of [Init] and [New]. The zero value is the default. All processes that share a table
// must agree on Numbers and Layout.
type Options struct {
	// Table is the table's name. Empty means node_lease. It may begin with its database and a dot: without it, the
	// table is in the database of the DSN. Names are taken as they are. Two layouts need two tables.
	Table string
	// Holder is the name in the table beside the number held, for people who look, of at most 255 characters. Empty
	// means the host's name and the process's number.
	Holder string
	// Numbers is how many numbers there are: 0 to Numbers-1. Zero means 1,024. At most 1,048,576, and no more than ids
	// of Layout can have.
	Numbers int64
	// TTL is how long a number is kept for a holder that falls silent, a second to 365 days. Zero means 15 s.
	TTL time.Duration
	// Layout is that of the ids. The zero value means Twitter's.
	Layout ids.SnowflakeLayout
	// AllowNoFsync allows a server whose innodb_flush_log_at_trx_commit or sync_binlog is not 1, for tests: a crash of
	// its machine makes ids repeat.
	AllowNoFsync bool
	// BeforeConnect, unless it is nil, is called before each connection is made. It may change its copy of
	// the DSN's configuration: a Passwd from a file or a token, a DialFunc, TLS.
	//
	// Its context ends with the call that needs the connection. The call then no longer waits for it, so
	// each call that finds it hanging leaves a goroutine behind until it returns. It must be safe for
	// concurrent use. A panic in it ends the program, because it runs in a goroutine of its own.
	BeforeConnect func(context.Context, *mysql.Config) error

	wrap func(driver.Connector) driver.Connector // for tests; may be nil
}

// Store is a [nodelease.Store] in one InnoDB table, with a row for each number. Leases end by the server's clock. All times
// in it are of UTC. The column token, which is random for each Take, says whose the row is: also after the server was put
// back to a backup, where a count would occur again. In the row of the number -1, the column holder has the version of
// the schema and the layout of the ids. Make one with [New].
type Store struct {
	opts     Options
	config   *mysql.Config // of the DSN
	conns    *conns.Conns[*conn]
	table    string  // quoted
	warnings []error // of New, for the first Take
	warnOnce sync.Once
}

// NULL is the token of a number that nobody holds, and the zero time. A DATETIME has no time zone, and microseconds.
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
	datetime    = "2006-01-02 15:04:05.000000" // as the server writes it

	// Numbers of the server's errors.
	recordChanged = 1020
	lockWait      = 1205
	deadlock      = 1213
	conflict      = 3101 // of Group Replication: undone at the commit
)

// New returns a store in the database that a DSN names, such as minter@tcp(db.example.com)/orders. The server has 2 s to
// accept a connection and its login, unless timeout says otherwise. Close the store after the Minters.
//
// New needs no more than the right to select and update, and makes nothing: if the user lacks that, or if the table is not
// complete, of another version or for another layout, the error matches [nodelease.ErrRefused]. So it does for what lets a
// crash take a horizon back: a view, a table that is not of InnoDB, and, where the server has them and shows them, settings of
// innodb_flush_log_at_trx_commit other than 1 and MariaDB's 3, and of sync_binlog other than 1 if there is a binary log.
// Settings that are not shown, and rights that let the user write where read_only is on, the first Take says by Warn of its
// request. New refuses a server and sessions that are read-only. Nil options mean the default.
func New(ctx context.Context, dsn string, opts *Options) (*Store, error) {
	s, err := open(ctx, dsn, opts, false)
	if err != nil {
		return nil, fmt.Errorf("nodelease: mysql: %w", err)
	}
	return s, nil
}

// Init makes the store, once, before the first process starts: the table, and the rows that are missing. More Numbers
// than before are made by Init too. If nothing is missing, it returns an error that matches [io/fs.ErrExist]; if
// the table is of another version or layout, one that matches [nodelease.ErrRefused].
//
// Do not call it at every start. New and Take refuse a table that is not complete, since a store that has lost
// horizons would let ids repeat: after such a loss, stop all minters, and call Init a window later, and once every clock has
// passed the newest id in your tables.
func Init(ctx context.Context, dsn string, opts *Options) error {
	s, err := open(ctx, dsn, opts, true)
	if err != nil {
		return fmt.Errorf("nodelease: mysql: %w", err)
	}
	s.Close()
	return nil
}

// Close closes the connection, without waiting for the server. Calls under way and later ones fail at once, so close the
// Minters before. A second call does nothing.
func (s *Store) Close() { s.conns.Close() }

// open returns a store whose table it has looked at, or made the first time.
func open(ctx context.Context, dsn string, opts *Options, first bool) (*Store, error) {
	s := new(Store)
	if opts != nil {
		s.opts = *opts
	}
	if err := storekit.Complete(&s.opts.Holder, &s.opts.Numbers, &s.opts.TTL, s.opts.Layout); err != nil {
		return nil, err
	}
	if n := utf8.RuneCountInString(s.opts.Holder); n > maxHolder {
		return nil, fmt.Errorf("Options.Holder has %d characters, and at most %d fit", n, maxHolder)
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
		s.warnings = nil // of an earlier try
		for _, f := range all {
			if f.Grade == faults.Told {
				s.warnings = append(s.warnings, errors.New("nodelease: mysql: "+f.Text))
			}
		}
		return err
	})
	if err != nil { // no connection is kept
		return nil, fmt.Errorf("prepare the table %s: %w", s.opts.Table, err)
	}
	return s, nil
}

// parseDSN returns what a DSN says. Its errors show no part of it, which might be a password.
func parseDSN(dsn string) (*mysql.Config, error) {
	config, err := mysql.ParseDSN(dsn)
	if err != nil || strings.ContainsAny(config.Net, ":/@") { // of a DSN that lacks what ends the password
		return nil, errors.New("the DSN is not as user:password@tcp(host:port)/database?name=value says, or it has an unknown value")
	}
	config.Logger = new(mysql.NopLogger) // errors are returned
	return config, nil
}

// conn is a connection.
type conn struct {
	*sql.Conn
	db *sql.DB // has no other
}

// Close ends the connection.
func (c *conn) Close() {
	_ = c.Conn.Close() // gives it back to db
	_ = c.db.Close()
}

// dialTimeout is that where the DSN has no timeout, so that a call has time for another try.
const dialTimeout = 2 * time.Second

// dial makes a connection. What the store needs is set after BeforeConnect.
func (s *Store) dial(ctx context.Context) (*conn, error) {
	config := s.config.Clone()
	if s.opts.BeforeConnect != nil {
		if err := s.opts.BeforeConnect(ctx, config); err != nil {
			return nil, fmt.Errorf("Options.BeforeConnect: %w", err)
		}
	}
	config.Timeout = cmp.Or(config.Timeout, dialTimeout)
	config.RejectReadOnly = false // it hides what the server says, and no connection is kept after an error
	var connector driver.Connector
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return nil, err
	}
	if s.opts.wrap != nil {
		connector = s.opts.wrap(connector)
	}
	db := sql.OpenDB(connector)
	loginCtx, cancel := context.WithTimeout(ctx, config.Timeout) // with the login, which the driver leaves out
	defer cancel()
	c, err := db.Conn(loginCtx)
	if err != nil {
		db.Close()
		if e, ok := errors.AsType[net.Error](err); (loginCtx.Err() != nil || ok && e.Timeout()) && ctx.Err() == nil { // or the driver's own limit came first
			err = fmt.Errorf("no login within %v: %w", config.Timeout, err)
		}
		return nil, err
	}
	return &conn{c, db}, nil
}

// checkServer returns what is wrong, as [mycheck.Look] does, and an error if the store must refuse that.
func (s *Store) checkServer(ctx context.Context, c *conn, write bool) (faults.List, error) {
	all, err := mycheck.Look(ctx, c, s.opts.Table, write)
	return all, cmp.Or(err, all.Err(s.opts.AllowNoFsync))
}

// prepare returns an error unless the table is there and complete. The first time, it makes what is missing.
func (s *Store) prepare(ctx context.Context, c *conn, first bool) error {
	columns := func() error { // and the right to read them
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
		if _, err := s.checkServer(ctx, c, false); err != nil { // as at a table that is made
			return err
		}
		err = columns()
	}
	if mycheck.Is(err, mycheck.UnknownColumn) {
		return faults.Refused(fmt.Errorf("%w: another version of package nodelease made the table, or somebody else", err))
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

// fill makes the rows that are missing, all or none: this alone is a transaction of several statements. Of several such
// transactions one at a time goes beyond the first insert. An error ends the connection, and the transaction with it.
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

// contents is what a table holds.
type contents struct {
	header  string
	now     time.Time // the server's
	free    []storekit.Candidate
	missing []string // numbers
}

// read reads the table.
func (s *Store) read(ctx context.Context, conn *conn) (*contents, error) {
	// Only the row of the number -1 has what is the same for all. A limit of its own takes precedence over sql_select_limit.
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
				return nil, fmt.Errorf("the horizon of the number %d is no time: %q", n.Number, horizon.String)
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

// checkComplete returns an error if a row is missing, or if the table is of another version or layout.
func (s *Store) checkComplete(c *contents, layout ids.SnowflakeLayout) error {
	switch {
	case len(c.missing) > 0:
		return storekit.Missing(fmt.Sprintf("of %d rows %d are missing", s.opts.Numbers, len(c.missing)), hint)
	case c.header == "":
		return storekit.Missing("there is no row of the number -1", hint)
	}
	return storekit.CheckHeader(headerPlace, c.header, storekit.Header(layout))
}

// withConn calls f with a connection on which each statement is a transaction of its own, and again if the server has undone a
// statement because of others. That the kept connection is dead shows before f is called.
//
// Whether autocommit is on it does not ask: a proxy may answer that for another session, and an UPDATE that nobody commits looks
// like one that is. Nor does the UPDATE itself look at a variable: a replica that executes it has its own.
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

// update changes at most one row, durably, and reports whether it has.
func (s *Store) update(ctx context.Context, set, where string) (changed bool, err error) {
	err = s.withConn(ctx, func(ctx context.Context, c *conn) (err error) {
		changed, err = s.updateOn(ctx, c, set, where)
		return err
	})
	return changed, err
}

// updateOn is update over a connection.
func (s *Store) updateOn(ctx context.Context, c *conn, set, where string) (changed bool, err error) {
	result, err := c.ExecContext(ctx, fmt.Sprintf(`update %s set %s where %s`, s.table, set, where))
	if err != nil {
		return false, err
	}
	n, err := result.RowsAffected()
	return n > 0, err
}

// grace is how long a Take goes on after its context has ended: cut off at once, it could be carried out
// all the same, and keep a number for nobody.
const grace = time.Second

// Take implements [nodelease.Store]. It refuses a Now that is more than 24 h from the server's clock: the
// clock of one machine must not push the times of number after number. It refuses a layout that is not that of
// the ids, and any number while a row is missing.
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

// take looks which numbers are free, and tries to take one after the other, over one connection.
func (s *Store) take(ctx context.Context, r nodelease.Request) (g nodelease.Grant, err error) {
	l := &lease{store: s, number: -1, token: ids.NewV4().String()}
	var none error // why there is no number, where no request has failed
	err = s.withConn(ctx, func(ctx context.Context, c *conn) error {
		found, err := s.read(ctx, c)
		if err != nil {
			return err
		}
		if none = s.checkComplete(found, r.Layout); none == nil {
			none = storekit.CheckNow(r.Now, "the server's", found.now)
		}
		if none == nil && len(found.free) == 0 { // which may be for another reason than that all are held
			none = nodelease.ErrNoNumber
			_, err = s.checkServer(ctx, c, false)
		}
		if none == nil {
			g, none, err = l.takeOne(ctx, c, found, r.Now)
		}
		return err
	})
	if err != nil && l.number >= 0 { // it may have been carried out
		undoCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
		defer cancel()
		_, _ = s.update(undoCtx, noHolder, l.isHolder())
	}
	if err = cmp.Or(err, none); err != nil {
		return nodelease.Grant{}, err
	}
	return g, nil
}

// takeOne tries to take one of the numbers that were found free, for a caller whose clock is now.
func (l *lease) takeOne(ctx context.Context, c *conn, found *contents, now time.Time) (g nodelease.Grant, none, err error) {
	s, free := l.store, found.free
	storekit.Prefer(free, time.Time{}, now) // no median: the server has a clock
	set := fmt.Sprintf(`token = '%s', holder = %s, expires = %s`, l.token, mycheck.Text(s.opts.Holder), s.expiry())
	for i, tries := 0, 0; i < len(free); tries++ {
		n := free[i]
		l.number = n.Number
		// Judged again: since the look its holder may have gone on, or another one come and gone.
		taken, err := s.updateOn(ctx, c, set, fmt.Sprintf(`number = %d and expires <= utc_timestamp(6) and horizon <=> %s`, n.Number, literal(n.Horizon)))
		if err != nil {
			return g, nil, err
		}
		if taken {
			return nodelease.Grant{
				Number: n.Number, Horizon: n.Horizon, TTL: s.opts.TTL, Free: int64(len(free) - 1 - tries), FreeKnown: true, Lease: l,
			}, nil, nil
		}
		i += 1 + rand.IntN(1<<min(tries, 20)) // many want the first ones
	}
	return g, nodelease.ErrNoNumber, nil
}

// expiry returns when a lease ends that is taken or extended now.
func (s *Store) expiry() string {
	return fmt.Sprintf(`utc_timestamp(6) + interval %d microsecond`, s.opts.TTL.Microseconds())
}

type lease struct {
	store  *Store
	number int64
	token  string
}

// isHolder is the condition that l holds the row.
func (l *lease) isHolder() string {
	return fmt.Sprintf(`number = %d and token = '%s'`, l.number, l.token)
}

// Extend implements [nodelease.Lease]. The microsecond more changes the row even if the clock stands still: unless the DSN
// has clientFoundRows, the server does not count rows that are as they were.
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
		return fmt.Errorf("nodelease: mysql: the horizon %v of the number %d is not of the years 1 to 9999", horizon, l.number)
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

// literal returns a time in SQL. The zero time is null.
func literal(t time.Time) string {
	if t.IsZero() {
		return "null"
	}
	return "timestamp'" + t.UTC().Format(datetime) + "'"
}
