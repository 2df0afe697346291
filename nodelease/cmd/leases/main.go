// Leases makes, shows and checks the store from which package nodelease leases node numbers. See help.txt.
package main

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/nodelease/storekit"
)

//go:embed help.txt
var help string

// Exit codes.
const (
	failed = iota + 1
	misused
	found
)

type options struct {
	url, table, prefix string
	numbers            int64
	layout             string
}

// A store is either kind of store, as an operator sees it.
type store interface {
	// init declares the first start, with ids of a layout.
	init(ctx context.Context, layout ids.SnowflakeLayout) error
	// read returns what the store holds.
	read(ctx context.Context) (*contents, error)
	// settings returns what is wrong with the servers, and with the rights of the user.
	settings(ctx context.Context) ([]string, error)
	close()
}

type contents struct {
	header  string // the version of the schema and the layout
	place   string // where it is
	now     time.Time
	numbers []number // that the store knows, in ascending order
}

type number struct {
	number  int64
	holder  string    // "" unless it is held
	expires time.Time // if it is held
	horizon time.Time
	missing bool // the horizon
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	status := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

// run is the program. It returns its status.
func run(ctx context.Context, args []string, out, errs io.Writer) int {
	misuse := func(err error) int {
		fmt.Fprintf(errs, "leases: %v\nleases -h tells more\n", err)
		return misused
	}
	if len(args) == 0 {
		return misuse(errors.New("say init, list or check"))
	}
	command, o := args[0], new(options)
	f := flag.NewFlagSet("leases", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.Int64Var(&o.numbers, "numbers", 1024, "")
	f.StringVar(&o.table, "table", "node_lease", "")
	f.StringVar(&o.prefix, "prefix", "/nodelease", "")
	f.StringVar(&o.layout, "layout", "", "")
	timeout := f.Duration("timeout", 30*time.Second, "")
	err := f.Parse(args[1:])
	if command == "-h" || command == "-help" || command == "--help" || command == "help" || errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(out, help)
		return 0
	}
	switch {
	case err != nil:
		return misuse(err)
	case o.layout != "" && layouts[o.layout] == nil:
		return misuse(fmt.Errorf("unknown layout %q", o.layout))
	case command != "init" && command != "list" && command != "check":
		return misuse(fmt.Errorf("unknown command %q", command))
	case f.NArg() > 1:
		return misuse(errors.New("more than one URL; options come before it"))
	case o.numbers < 1:
		return misuse(fmt.Errorf("-numbers %d is less than 1", o.numbers))
	}
	o.url = f.Arg(0)
	ctx, cancel := context.WithTimeout(ctx, *timeout)
	defer cancel()
	open, err := kind(o.url)
	if err != nil {
		return misuse(err)
	}
	s, err := open(ctx, o)
	if err == nil {
		defer s.close()
		switch command {
		case "init":
			if err = s.init(ctx, layouts[cmp.Or(o.layout, "twitter")]()); err == nil {
				fmt.Fprintf(out, "made the store of the numbers 0 to %d\n", o.numbers-1)
			}
		case "list":
			err = list(ctx, s, out)
		case "check":
			var n int
			if n, err = check(ctx, s, o, out); err == nil && n > 0 {
				return found
			}
		}
	}
	if err != nil {
		fmt.Fprintln(errs, "leases:", asFlags.Replace(strings.TrimPrefix(err.Error(), "nodelease: ")))
		return failed
	}
	return 0
}

// asFlags has errors of the stores name the command's options.
var asFlags = strings.NewReplacer("Options.Numbers", "-numbers", "Options.Table", "-table", "Options.Prefix", "-prefix",
	": for tests, set Options.AllowNoFsync", "")

// kind returns what opens the store that a URL names or, without one, the variables.
func kind(url string) (func(context.Context, *options) (store, error), error) {
	scheme, _, _ := strings.Cut(url, "://")
	postgres := cmp.Or(os.Getenv("PGHOST"), os.Getenv("PGSERVICE"), os.Getenv("PGDATABASE")) != ""
	etcd := os.Getenv("ETCDCTL_ENDPOINTS") != ""
	switch {
	case scheme == "postgres", scheme == "postgresql", url == "" && postgres && !etcd:
		return openPostgres, nil
	case scheme == "http", scheme == "https", url == "" && etcd && !postgres:
		return openEtcd, nil
	case url != "":
		return nil, errors.New("the URL begins neither with postgres:// nor with http:// or https://, for etcd")
	case postgres:
		return nil, errors.New("the variables name PostgreSQL and etcd: give a URL")
	}
	return nil, errors.New("give a URL, or set PGHOST or ETCDCTL_ENDPOINTS")
}

var layouts = map[string]func() ids.SnowflakeLayout{
	"twitter": ids.TwitterLayout, "discord": ids.DiscordLayout, "instagram": ids.InstagramLayout, "sonyflake": ids.SonyflakeLayout,
}

// ahead tells how far t is ahead of now.
func ahead(t, now time.Time) string {
	if d := t.Sub(now); d > 0 {
		return d.Round(time.Second).String()
	}
	return "-"
}

// retired reports whether somebody holds n by hand, for good.
func (n *number) retired(now time.Time) bool { return n.expires.Sub(now) > storekit.MaxTTL }

// list shows the numbers that are held, and those whose horizon is ahead.
func list(ctx context.Context, s store, out io.Writer) error {
	c, err := s.read(ctx)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "number\tholder\texpires in\tmark\tahead by")
	held, late := 0, 0
	for _, n := range c.numbers {
		switch {
		case n.holder != "":
			held++
		case n.horizon.After(c.now):
			late++
		default:
			continue
		}
		horizon := n.horizon.UTC().Format(time.RFC3339)
		if n.missing {
			horizon = "missing"
		} else if n.horizon.IsZero() {
			horizon = "none yet"
		}
		expires := ahead(n.expires, c.now)
		if n.retired(c.now) {
			expires = "never"
		}
		holder := strings.Trim(strconv.QuoteToGraphic(cmp.Or(n.holder, "-")), `"`) // no control characters
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\n", n.number, holder, expires, horizon, ahead(n.horizon, c.now))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%d held, %d free, of the free ones %d with a horizon that is ahead; %s\n", held, len(c.numbers)-held, late,
		cmp.Or(c.header, "no "+c.place))
	return err
}

// far is how far a horizon may be ahead: the longest window.
const far = 24 * time.Hour

// check writes what it finds to out, and returns how much that is.
func check(ctx context.Context, s store, o *options, out io.Writer) (findings int, err error) {
	before := time.Now()
	c, err := s.read(ctx)
	if err != nil {
		return 0, err
	}
	apart := max(before.Sub(c.now), time.Until(c.now)) // at least: the store has read its clock in between
	all, err := s.settings(ctx)
	if err != nil {
		return 0, err
	}
	say := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	if c.header == "" {
		say("%s is missing: if nothing was made yet, leases init makes it", c.place)
	} else {
		err := storekit.CheckVersion(c.place, c.header)
		if o.layout != "" {
			err = storekit.CheckHeader(c.place, c.header, storekit.Header(layouts[o.layout]()))
		}
		if err != nil {
			say("%v", err)
		}
	}
	if apart > time.Second {
		say("this machine's clock and the server's are %v apart", apart.Round(time.Millisecond))
	}
	present, free := int64(0), int64(0)
	for _, n := range c.numbers {
		switch {
		case n.number >= o.numbers:
			say("there is a number %d, but there are to be %d: do all processes have the same number of them?", n.number, o.numbers)
			continue
		case n.missing:
			say("the horizon of the number %d is missing", n.number)
		}
		present++
		if n.holder == "" {
			free++
		}
		switch by := n.horizon.Sub(c.now); {
		case by > far:
			say("the horizon of the number %d is %v ahead: a clock was wrong, and ids of that time may exist", n.number, by.Round(time.Second))
		case n.holder != "" && !n.missing && !n.retired(c.now) && by < 0:
			say("the horizon of the number %d has passed %v ago although %q holds it: the clocks of that machine and of this store disagree",
				n.number, -by.Round(time.Second), n.holder)
		}
	}
	if present < o.numbers {
		say("of %d numbers %d are missing, and their horizons with them", o.numbers, o.numbers-present)
	}
	if free < o.numbers/20 {
		say("only %d of %d numbers are free", free, o.numbers)
	}
	for _, finding := range all {
		fmt.Fprintln(out, "-", finding)
	}
	if len(all) == 0 {
		fmt.Fprintf(out, "nothing found: %d numbers, %d of them free; %s\n", present, free, c.header)
	}
	return len(all), nil
}
