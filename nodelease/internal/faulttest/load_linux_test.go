package faulttest_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/internal/servers"
	"github.com/oneclock/ids/nodelease/internal/servers/etcdtest"
	"github.com/oneclock/ids/nodelease/internal/servers/pgtest"
)

// A meter reads what a store has done and needs: names with numbers. Those that count up are
// reported by the second, and those whose name ends with "now" as they are.
type meter func() map[string]float64

// TestEtcdLoad and TestPostgresLoad measure what 1,024 minters on 1,024 numbers cost the store.
func TestEtcdLoad(t *testing.T) {
	alone(t)
	cluster := etcdtest.Start(t, servers.NewNetwork(t))
	client := cluster.Open(t)
	defer client.Close()
	read := func() map[string]float64 {
		sum := map[string]float64{}
		for _, m := range cluster.Members {
			for name, v := range scrape(t, m.Client) {
				switch {
				case strings.HasPrefix(name, "grpc_server_started_total") && strings.Contains(name, `"LeaseKeepAlive"`):
					sum["keep-alives"] += v
				case strings.HasPrefix(name, "grpc_server_started_total") && strings.Contains(name, `"Txn"`):
					sum["transactions"] += v
				case name == "etcd_network_client_grpc_received_bytes_total":
					sum["bytes received from clients"] += v
				case name == "etcd_network_client_grpc_sent_bytes_total":
					sum["bytes sent to clients"] += v
				case strings.HasPrefix(name, "etcd_network_peer_sent_bytes_total"):
					sum["bytes between members"] += v
				case name == "etcd_disk_wal_fsync_duration_seconds_count":
					sum["fsyncs of the log"] += v
				case name == "process_cpu_seconds_total":
					sum["seconds of CPU"] += v
				case name == "process_resident_memory_bytes":
					sum["MB of memory, all members, now"] += v / 1e6
				case name == "etcd_mvcc_db_total_size_in_use_in_bytes":
					sum["bytes of database, all members"] += v
				}
			}
		}
		return sum
	}
	load(t, read, func(numbers int) nodelease.Store { return etcdStore(t, client, "/load", int64(numbers), loadTTL) })
}

func TestPostgresLoad(t *testing.T) {
	alone(t)
	_, address := pgtest.Start(t)
	pool, sent, received := openMetered(t, address, "load", 20)
	near := connect(t, address, "")
	read := func() map[string]float64 {
		var data string
		var transactions, wal, size float64
		err := near.QueryRow(t.Context(), `select current_setting('data_directory'),
			(select xact_commit from pg_stat_database where datname = current_database()),
			pg_current_wal_lsn() - '0/0', coalesce(pg_total_relation_size('load.node_lease'), 0)`).Scan(&data, &transactions, &wal, &size)
		if err != nil {
			t.Fatal(err)
		}
		cpu, memory := postgresProcesses(t, data)
		return map[string]float64{
			"transactions": transactions, "bytes of log": wal, "bytes sent to clients": float64(received.Load()),
			"bytes received from clients": float64(sent.Load()), "seconds of CPU": cpu, "MB of memory, all processes, now": memory / 1e6,
			"kB of table, now": size / 1e3,
		}
	}
	load(t, read, func(numbers int) nodelease.Store { return postgresStore(t, pool, int64(numbers), loadTTL) })
}

const loadTTL = 15 * time.Second

// load has as many minters as there are numbers mint, each a little, and measures meanwhile.
func load(t *testing.T, read meter, open func(numbers int) nodelease.Store) {
	numbers := 1024
	if testing.Short() {
		numbers = 64
	}
	s := open(numbers)
	ctx, stop := context.WithTimeout(t.Context(), 5*time.Minute)
	defer stop()
	began := time.Now()
	var all, first sync.WaitGroup
	lists := make([][]int64, numbers)
	var pauses, refused atomic.Int64 // the longest pause in ns
	holders := make([]int64, numbers)
	minting, end := context.WithCancel(ctx)
	defer end()
	first.Add(numbers)
	for i := range lists {
		all.Go(func() {
			m, err := nodelease.NewMinter(s, nil)
			var id ids.Snowflake
			if err == nil {
				id, err = m.Next(ctx)
			}
			lists[i], holders[i] = append(lists[i], int64(id)), id.Node()
			first.Done()
			if err != nil {
				t.Errorf("minter %d: %v", i, err)
				return
			}
			first.Wait()
			for sleep(minting, time.Duration(i)*time.Second/time.Duration(numbers)); minting.Err() == nil; sleep(minting, time.Second) {
				if _, err := m.TryNext(); err != nil {
					refused.Add(1)
				}
				for range 100 {
					asked := time.Now()
					id, err := m.Next(ctx)
					if err != nil {
						t.Errorf("minter %d: %v", i, err)
						return
					}
					for old, took := pauses.Load(), int64(time.Since(asked)); took > old && !pauses.CompareAndSwap(old, took); {
						old = pauses.Load()
					}
					lists[i] = append(lists[i], int64(id))
				}
			}
			if err := m.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	first.Wait()
	t.Logf("%d minters had numbers after %v", numbers, time.Since(began).Round(10*time.Millisecond))
	slices.Sort(holders)
	if distinct := len(slices.Compact(holders)); distinct != numbers {
		t.Errorf("%d minters hold %d numbers", numbers, distinct)
	}
	sleep(ctx, duration(5*time.Second, time.Second, 0))
	before, from := read(), time.Now()
	sleep(ctx, duration(100*time.Second, 5*time.Second, time.Second))
	after, seconds := read(), time.Since(from).Seconds()
	closing := time.Now()
	end()
	all.Wait()
	t.Logf("and had handed them back %v after Close", time.Since(closing).Round(10*time.Millisecond))
	total, twice := countTwice(t, lists)
	var lines []string
	for name, v := range after {
		if !strings.HasSuffix(name, "now") {
			v, name = (v-before[name])/seconds, name+" a second"
		}
		lines = append(lines, fmt.Sprintf("\t%12.2f %s", v, name))
	}
	slices.Sort(lines)
	t.Logf("%d minters, TTL %v, measured for %.0f s: %d ids, %d twice; longest pause %v, refusals %d\n%s", numbers, loadTTL, seconds, total,
		len(twice), time.Duration(pauses.Load()).Round(time.Millisecond), refused.Load(), strings.Join(lines, "\n"))
	if len(twice) > 0 {
		t.Errorf("ids occur twice: %v", twice)
	}
}

// scrape returns the metrics that an etcd member publishes.
func scrape(t *testing.T, address string) map[string]float64 {
	t.Helper()
	resp, err := http.Get("http://" + address + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	values := map[string]float64{}
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		line := lines.Text()
		if i := strings.LastIndexByte(line, ' '); i > 0 && line[0] != '#' {
			if v, err := strconv.ParseFloat(line[i+1:], 64); err == nil {
				values[line[:i]] = v
			}
		}
	}
	return values
}

// openMetered returns a pool that counts the bytes it sends and receives.
func openMetered(t *testing.T, address, schema string, connections int32) (pool *pgxpool.Pool, sent, received *atomic.Int64) {
	t.Helper()
	openPool(t, address, schema, "").Close()
	config, err := pgxpool.ParseConfig(pgtest.URL(address) + "&search_path=" + schema)
	if err != nil {
		t.Fatal(err)
	}
	sent, received = new(atomic.Int64), new(atomic.Int64)
	config.MaxConns = connections
	config.ConnConfig.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := new(net.Dialer).DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return meteredConn{c, sent, received}, nil
	}
	if pool, err = pgxpool.NewWithConfig(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool, sent, received
}

type meteredConn struct {
	net.Conn
	sent, received *atomic.Int64
}

func (c meteredConn) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	c.sent.Add(int64(n))
	return n, err
}

func (c meteredConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.received.Add(int64(n))
	return n, err
}

// postgresProcesses returns the seconds of CPU that the server's processes have spent, and
// their memory in bytes, of which shared pages count once.
func postgresProcesses(t *testing.T, data string) (cpu, memory float64) {
	t.Helper()
	pidFile, err := os.ReadFile(filepath.Join(data, "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	parent, _, _ := strings.Cut(string(pidFile), "\n")
	processes, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range processes {
		stat, err := os.ReadFile(filepath.Join(p, "stat"))
		if err != nil {
			continue // it has ended
		}
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:])) // from the third on
		if filepath.Base(p) != parent && fields[1] != parent {
			continue
		}
		for _, ticks := range fields[11:13] {
			v, _ := strconv.ParseFloat(ticks, 64)
			cpu += v / 100
		}
		rollup, _ := os.ReadFile(filepath.Join(p, "smaps_rollup"))
		for line := range strings.Lines(string(rollup)) {
			if f := strings.Fields(line); f[0] == "Pss:" {
				v, _ := strconv.ParseFloat(f[1], 64)
				memory += v * 1024
			}
		}
	}
	return cpu, memory
}

// TestEtcdSustains and TestPostgresSustains measure how many renewals a second the store
// carries out for 64 holders that renew without a rest.
func TestEtcdSustains(t *testing.T) {
	alone(t)
	cluster := etcdtest.Start(t, servers.NewNetwork(t))
	client := cluster.Open(t)
	defer client.Close()
	sustain(t, etcdStore(t, client, "/sustain", 64, time.Minute))
}

func TestPostgresSustains(t *testing.T) {
	alone(t)
	_, address := pgtest.Start(t)
	sustain(t, postgresStore(t, openPool(t, address, "sustain", "&pool_max_conns=64"), 64, time.Minute))
}

func sustain(t *testing.T, s nodelease.Store) {
	var leases []nodelease.Lease
	for range 64 {
		l, err := s.Take(t.Context(), time.Now())
		if err != nil {
			t.Fatal(err)
		}
		leases = append(leases, l)
	}
	mark := time.Now().UTC().Truncate(time.Microsecond).Add(time.Hour)
	for _, raise := range []bool{false, true} {
		what := "the mark unchanged"
		if raise {
			what = "the mark raised each time"
		}
		length := duration(15*time.Second, time.Second, 300*time.Millisecond)
		var all sync.WaitGroup
		var mu sync.Mutex
		var took []time.Duration
		began := time.Now()
		for _, l := range leases {
			all.Go(func() {
				var own []time.Duration
				for n := 0; time.Since(began) < length; n++ {
					to := mark
					if raise {
						to = mark.Add(time.Duration(n) * time.Second)
					}
					asked := time.Now()
					if err := l.Extend(t.Context(), to); err != nil {
						t.Error(err)
						return
					}
					own = append(own, time.Since(asked))
				}
				mu.Lock()
				defer mu.Unlock()
				took = append(took, own...)
			})
		}
		all.Wait()
		seconds := time.Since(began).Seconds()
		slices.Sort(took)
		if len(took) == 0 {
			t.Fatal("no renewal")
		}
		t.Logf("%s: %.0f renewals a second, of which half took less than %v and 99 of 100 less than %v", what, float64(len(took))/seconds,
			took[len(took)/2].Round(100*time.Microsecond), took[len(took)*99/100].Round(100*time.Microsecond))
	}
}
