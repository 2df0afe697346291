package main

import "time"

// parseTime reads the value of an option that is a time: where it begins, and where it ends if it is a day or a
// month, which are in UTC. A duration counts from now.
func parseTime(option, s string) (begin, end time.Time, err error) {
	if begin, err = time.Parse(time.RFC3339, s); err == nil {
		return begin, begin, nil
	}
	if begin, err = time.Parse(time.DateOnly, s); err == nil {
		return begin, begin.AddDate(0, 0, 1), nil
	}
	if begin, err = time.Parse("2006-01", s); err == nil {
		return begin, begin.AddDate(0, 1, 0), nil
	}
	if s == "now" {
		s = "0s"
	}
	if ago, err := time.ParseDuration(s); err == nil {
		begin = time.Now().Add(ago)
		return begin, begin, nil
	}
	if s == "" {
		return begin, end, usageError(option + " is missing")
	}
	return begin, end, usagef("%s %s is not a time (2026-01-31T12:00:00Z), a date, a month, now or a span from now (-36h)", option, quoted(s))
}

// stamp returns a time to the millisecond: no kind of id tells more of it to range.
func stamp(t time.Time) string { return t.UTC().Format(toMilli) }
