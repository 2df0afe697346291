package main

// This file implements the store interface for PostgreSQL.

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype/zeronull"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/nodelease/internal/faults"
	"github.com/oneclock/ids/nodelease/internal/pgcheck"
	"github.com/oneclock/ids/nodelease/pgstore"
)

type postgres struct {
	*options
	pool *pgxpool.Pool
	name string // quoted name of the table
}

func openPostgres(ctx context.Context, o *options) (store, error) {
	config, err := pgxpool.ParseConfig(o.url)
	var first *pgx.ConnConfig
	if err == nil {
		first = config.ConnConfig
	}
	if err = pgcheck.CheckURL(o.url, first, err); err != nil {
		return nil, err
	}
	maps.DeleteFunc(first.RuntimeParams, func(name, _ string) bool { return strings.EqualFold(name, "datestyle") })
	first.RuntimeParams["datestyle"] = "ISO" // the only date style that pgx can parse
	if first.DefaultQueryExecMode == pgx.QueryExecModeCacheStatement {
		// Do not use prepared statements, because a pooler may give the next run of the program a
		// connection on which the statements of this run still exist.
		first.DefaultQueryExecMode = pgx.QueryExecModeExec
	}
	other := func(f *pgconn.FallbackConfig) bool { return f.Host != first.Host || f.Port != first.Port }
	// If there are several hosts, use one that accepts writes. If there is only one host, accept it
	// even if it is a standby, because an operator may want to check a standby.
	if first.ValidateConnect == nil && slices.ContainsFunc(first.Fallbacks, other) {
		first.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	}
	name, err := pgcheck.Table(o.table)
	if err != nil {
		return nil, err
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	return &postgres{o, pool, name}, err
}

func (p *postgres) close() { p.pool.Close() }

func (p *postgres) init(ctx context.Context, layout ids.SnowflakeLayout) error {
	return pgstore.Init(ctx, p.url, &pgstore.Options{Table: p.table, Numbers: p.numbers, Layout: layout})
}

func (p *postgres) read(ctx context.Context) (*contents, error) {
	c := &contents{place: "the row of the number -1", now: time.Now()}
	rows, _ := p.pool.Query(ctx, `select number, case when number < 0 then holder
			when expires > clock_timestamp() then coalesce(nullif(holder, ''), 'unknown') else '' end,
		least(expires, clock_timestamp() + interval '10 years'), case when isfinite(horizon) then horizon end,
		coalesce(not isfinite(horizon), false), clock_timestamp() from `+p.name+` order by number`)
	var n number
	_, err := pgx.ForEachRow(rows, []any{&n.number, &n.holder, &n.expires, (*zeronull.Timestamptz)(&n.horizon), &n.missing, &c.now}, func() error {
		if n.number < 0 {
			c.header = n.holder
		} else {
			c.numbers = append(c.numbers, n)
		}
		return nil
	})
	switch {
	case pgcheck.IsError(err, pgcheck.UndefinedColumn):
		err = fmt.Errorf("%w; another version of package nodelease or another program created the table", err)
	case pgcheck.IsError(err, pgcheck.UndefinedTable):
		c.place, err = "the table "+p.table, nil
	case pgcheck.IsError(err, pgcheck.InsufficientPrivilege): // settings also finds this
		err = faults.Refused(err)
	}
	if err != nil {
		return nil, fmt.Errorf("read the table %s: %w", p.table, err)
	}
	return c, nil
}

func (p *postgres) settings(ctx context.Context) ([]string, error) {
	all, err := pgcheck.Look(ctx, p.pool, p.name)
	if err != nil {
		return nil, err
	}
	more, err := pgcheck.Replication(ctx, p.pool)
	if err != nil {
		return all.Texts(), err
	}
	// Do not test an update if all.Err returns an error. The update is then impossible, or fails
	// for a reason that is already known.
	if all.Err(true) == nil {
		more = append(more, checkUpdate(func() (token string, err error) {
			err = p.pool.QueryRow(ctx, `select token from `+p.name+` where number = -1`).Scan(&token)
			if errors.Is(err, pgx.ErrNoRows) || pgcheck.IsError(err, pgcheck.UndefinedTable, pgcheck.UndefinedColumn) {
				err = errReported
			}
			return token, err
		}, func(token string) error {
			_, err := p.pool.Exec(ctx, `update `+p.name+` set token = $1 where number = -1`, token)
			return err
		})...)
	}
	return append(all, more...).Texts(), nil
}
