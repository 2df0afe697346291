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
	"math"
	"os"
	"os/signal"
	"regexp"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/oneclock/ids"
	program "github.com/oneclock/ids/internal/command"
	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/internal/etcdkeys"
	"github.com/oneclock/ids/nodelease/internal/faults"
	"github.com/oneclock/ids/nodelease/internal/mycheck"
	"github.com/oneclock/ids/nodelease/internal/pgcheck"
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
	layout             *ids.SnowflakeLayout // nil if none is given
}

// A store is any kind of store, as an operator sees it.
type store interface {
	// init declares the first start, with ids of a layout.
	init(ctx context.Context, layout ids.SnowflakeLayout) error
	// read returns what the store holds. Where nothing was made yet, it is nothing.
	read(ctx context.Context) (*contents, error)
	// settings returns what is wrong with the servers, and with the rights of the user, also beside an error.
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
	missing bool // the horizon, or it is no time
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
		fmt.Fprintf(errs, "leases: %v\nleases -h tells more\n", asFlags(err))
		return misused
	}
	if len(args) == 0 {
		return misuse(errors.New("say init, list or check"))
	}
	command, o := args[0], new(options)
	f := flag.NewFlagSet("leases", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.Int64Var(&o.numbers, "numbers", 1024, "")
	f.StringVar(&o.table, "table", "", "")
	f.StringVar(&o.prefix, "prefix", "", "")
	f.Func("layout", "", func(text string) (err error) { o.layout, err = parseLayout(text); return err })
	timeout := f.Duration("timeout", 30*time.Second, "")
	err := f.Parse(args[1:])
	if errors.Is(err, flag.ErrHelp) {
		command = "help"
	}
	switch command {
	case "-h", "-help", "--help", "help":
		fmt.Fprint(out, help)
		return 0
	case "-v", "-version", "--version", "version":
		fmt.Fprintln(out, program.Version("leases"))
		return 0
	}
	switch {
	case err != nil:
		return misuse(err)
	case command != "init" && command != "list" && command != "check":
		return misuse(fmt.Errorf("unknown command %q", command))
	case f.NArg() > 1:
		return misuse(errors.New("more than one URL; options come before it"))
	case o.numbers < 1:
		return misuse(fmt.Errorf("-numbers %d is less than 1", o.numbers))
	case *timeout <= 0:
		return misuse(fmt.Errorf("-timeout %v leaves no time", *timeout))
	}
	o.url, o.table, o.prefix = f.Arg(0), cmp.Or(o.table, "node_lease"), cmp.Or(o.prefix, "/nodelease") // as Init and New have it
	ctx, cancel := context.WithTimeout(ctx, *timeout)
	defer cancel()
	to, err := kind(o.url)
	f.Visit(func(f *flag.Flag) {
		switch {
		case err != nil:
		case f.Name == to.other:
			err = fmt.Errorf("-%s is for another kind of store", f.Name)
		case (f.Name == "numbers" || f.Name == "layout") && command == "list":
			err = fmt.Errorf("list shows all numbers: it takes no -%s", f.Name)
		}
	})
	layout := cmp.Or(o.layout, new(ids.SnowflakeLayout))
	if command == "init" || o.layout != nil {
		err = cmp.Or(err, storekit.CheckNumbers(o.numbers, *layout))
	}
	if err == nil {
		err = to.names(o)
	}
	if err != nil {
		return misuse(err)
	}
	defer endLate(ctx, errs)()
	s, err := to.open(ctx, o)
	if err == nil {
		defer s.close()
		switch command {
		case "init":
			if err = s.init(ctx, *layout); err == nil {
				_, err = fmt.Fprintf(out, "made the store of the numbers 0 to %d\n", o.numbers-1)
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
		fmt.Fprintln(errs, "leases:", asFlags(err))
		return failed
	}
	return 0
}

// endLate ends the program 2.5 s after ctx has ended, by SIGINT or since the time is over, whatever a store does, unless the
// function that it returns is called before.
func endLate(ctx context.Context, errs io.Writer) (stop func() bool) {
	over := make(chan struct{})
	unwatch := context.AfterFunc(ctx, func() {
		select {
		case <-over:
		case <-time.After(2500 * time.Millisecond):
			fmt.Fprintln(errs, "leases: the store does not return:", context.Cause(ctx))
			os.Exit(failed)
		}
	})
	return func() bool { close(over); return unwatch() }
}

// asFlags has errors of the stores speak of the command and its options, and no error of a password, as that of a URL
// in the place of something else.
func asFlags(err error) error {
	text := ofInit.ReplaceAllString(words.Replace(strings.TrimPrefix(err.Error(), "nodelease: ")), "")
	return errors.New(secret.ReplaceAllString(text, "$1$2..."))
}

var secret = regexp.MustCompile(`(://[^:/@\s]*:)\S*@|(password=)[^\s&"]*`)

var words = strings.NewReplacer("Options.Numbers", "-numbers", "Options.Table", "-table", "Options.Prefix", "-prefix", "Options.Layout", "-layout",
	": for tests, set Options.AllowNoFsync", "", "this process makes ids of", "-layout says")

var ofInit = regexp.MustCompile(`call \w+\.Init, or `)

// A way is how to open a kind of store, whose names it can judge before.
type way struct {
	open  func(context.Context, *options) (store, error)
	names func(*options) error
	other string // the option that is for another kind
}

var (
	toPostgres = &way{openPostgres, func(o *options) error { _, err := pgcheck.Table(o.table); return err }, "prefix"}
	toMySQL    = &way{openMySQL, func(o *options) error { _, err := mycheck.Table(o.table); return err }, "prefix"}
	toEtcd     = &way{openEtcd, func(o *options) error { return etcdkeys.CheckPrefix(o.prefix) }, "table"}
)

// kind returns the way to the store that a URL names or, without one, the variables.
func kind(url string) (*way, error) {
	scheme, _, _ := strings.Cut(url, "://")
	if url == "" {
		named := map[string]bool{
			"postgres": cmp.Or(os.Getenv("PGHOST"), os.Getenv("PGSERVICE"), os.Getenv("PGDATABASE")) != "",
			"mysql":    os.Getenv("MYSQL_HOST") != "",
			"http":     os.Getenv("ETCDCTL_ENDPOINTS") != "",
		}
		for kind, is := range named {
			if is && scheme != "" {
				return nil, errors.New("the variables name more than one of PostgreSQL, MySQL and etcd: give a URL")
			}
			if is {
				scheme = kind
			}
		}
	}
	switch scheme {
	case "postgres", "postgresql":
		return toPostgres, nil
	case "mysql":
		return toMySQL, nil
	case "http", "https":
		return toEtcd, nil
	case "":
		return nil, errors.New("give a URL, or set PGHOST, MYSQL_HOST or ETCDCTL_ENDPOINTS")
	}
	return nil, errors.New("the URL begins neither with postgres:// or mysql:// nor with http:// or https://, for etcd")
}

var layouts = map[string]ids.SnowflakeLayout{
	"twitter": ids.TwitterLayout(), "discord": ids.DiscordLayout(), "instagram": ids.InstagramLayout(), "sonyflake": ids.SonyflakeLayout(),
}

// parseLayout returns a layout that is known by its name, or one of the user's own, as idgen takes it too.
func parseLayout(text string) (*ids.SnowflakeLayout, error) {
	if l, known := layouts[text]; known {
		return &l, nil
	}
	l, err := program.ParseLayout(text, "twitter, discord, instagram, sonyflake")
	return &l, err
}

// ahead tells how far t is ahead of now.
func ahead(t, now time.Time) string {
	switch d := t.Sub(now); {
	case d <= 0:
		return "-"
	case d == math.MaxInt64: // no Duration is longer
		return "over 292 years"
	default:
		return d.Round(time.Second).String()
	}
}

// retired reports whether somebody holds n by hand, for good.
func (n *number) retired(now time.Time) bool { return n.expires.Sub(now) > storekit.MaxTTL }

// list shows the numbers that are held, and those whose horizon is ahead.
func list(ctx context.Context, s store, out io.Writer) error {
	c, err := s.read(ctx)
	if err != nil {
		return err
	}
	if c.header == "" && len(c.numbers) == 0 {
		return errors.New(c.unmade())
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "number\tholder\texpires in\thorizon\tahead by")
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
		cmp.Or(c.header, c.place+" is missing"))
	if c.header == "" && err == nil {
		err = errors.New(c.unmade())
	}
	return err
}

func (c *contents) unmade() string {
	return c.place + " is missing: if nothing was made yet, leases init makes it"
}

// far is how far a horizon may be ahead: the longest window.
const far = 24 * time.Hour

// nodeBits finds their number in a header.
var nodeBits = regexp.MustCompile(`, (\d+) node bits`)

// check writes what it finds to out, also what it found before an error, and returns how much that is.
func check(ctx context.Context, s store, o *options, out io.Writer) (findings int, err error) {
	before := time.Now()
	c, err := s.read(ctx)
	var apart time.Duration
	if err == nil {
		apart = max(before.Sub(c.now), time.Until(c.now)) // at least: the store has read its clock in between
	}
	all, failure := s.settings(ctx)
	more := map[string]int{} // numbers, by what is said of the first of them
	first := map[string]string{}
	say := func(format string, args ...any) {
		if text, said := first[format]; said {
			more[text]++
			return
		}
		first[format] = fmt.Sprintf(format, args...)
		all = append(all, first[format])
	}
	present, free := int64(0), int64(0)
	switch {
	case err == nil:
		present, free = judge(c, o, say)
	case errors.Is(err, nodelease.ErrRefused) && len(all) > 0: // settings has found why
		err = nil
	}
	if apart > time.Second {
		say("this machine's clock and the server's are %v apart", apart.Round(time.Millisecond))
	}
	var text strings.Builder
	for _, finding := range all {
		fmt.Fprint(&text, "- ", finding)
		if n := more[finding]; n > 0 {
			fmt.Fprintf(&text, "; so it is with %d more", n)
		}
		text.WriteByte('\n')
	}
	err = cmp.Or(err, failure)
	if len(all) == 0 && err == nil {
		fmt.Fprintf(&text, "nothing found: %d numbers, %d of them free; %s\n", present, free, c.header)
	}
	_, failure = io.WriteString(out, text.String())
	return len(all), cmp.Or(err, failure)
}

// errTold is the error where check tells by other means what is wrong, as that there is no row of the number -1.
var errTold = errors.New("told")

// swallowed says whether an update of the row of the number -1, which nobody holds, fails or changes nothing. token reads a
// column of it, and update changes that by one statement that commits itself.
func swallowed(token func() (string, error), update func(token string) error) (l faults.List) {
	before, err := token()
	if err == nil {
		err = update(ids.NewV4().String())
	}
	after := ""
	if err == nil {
		after, err = token()
	}
	switch {
	case err == errTold:
	case err != nil:
		l.Add(faults.Lasting, "the row of the number -1 cannot be changed: %v", err)
	case after == before:
		l.Add(faults.Lasting, "an update of the row of the number -1 has changed nothing: a trigger, a rule or row security swallows it, and no number can be taken")
	}
	return l
}

// judge says what is wrong with the numbers, and returns how many of those that are to be there are, and are free.
func judge(c *contents, o *options, say func(format string, args ...any)) (present, free int64) {
	if c.header == "" {
		say("%s", c.unmade())
		if len(c.numbers) == 0 {
			return 0, 0
		}
	} else {
		err := storekit.CheckVersion(c.place, c.header)
		if o.layout != nil {
			err = storekit.CheckHeader(c.place, c.header, storekit.Header(*o.layout))
		}
		if err != nil {
			say("%v", asFlags(err))
		}
	}
	if found := nodeBits.FindStringSubmatch(c.header); found != nil {
		if bits, err := strconv.Atoi(found[1]); err == nil && o.numbers > 1<<bits {
			say("-numbers says %d, and the layout has only %d: no id can have the others", o.numbers, 1<<bits)
		}
	}
	if n := len(c.numbers); n > 0 && c.numbers[n-1].number >= o.numbers {
		say("the store has numbers up to %d, and -numbers says %d: do all processes have the same number of them?", c.numbers[n-1].number, o.numbers)
	}
	for _, n := range c.numbers {
		if n.number >= o.numbers {
			break
		}
		present++
		if n.holder == "" {
			free++
		}
		switch by := n.horizon.Sub(c.now); {
		case n.missing:
			say("the horizon of the number %d is missing, or no time", n.number)
		case by > far:
			say("the horizon of the number %d is %v ahead: a clock was wrong, and ids of that time may exist", n.number, ahead(n.horizon, c.now))
		case n.holder != "" && !n.retired(c.now) && by < 0:
			say("the horizon of the number %d has passed %v ago although %q holds it: its requests to write fail, or its clock is behind the store's",
				n.number, ahead(c.now, n.horizon), n.holder)
		}
	}
	if present < o.numbers {
		say("of %d numbers %d are missing, and their horizons with them: say -numbers if there are to be fewer", o.numbers, o.numbers-present)
	}
	if free < present/20 {
		say("only %d of %d numbers are free", free, present)
	}
	return present, free
}
