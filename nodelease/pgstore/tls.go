package pgstore

// This file contains the code that applies the TLSConfig from Options.BeforeConnect to all hosts.

import (
	"crypto/tls"
	"reflect"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// tlsOf returns a map from the TLS configurations in copied to those in url. copied is a copy of
// url.
func tlsOf(copied, url *pgx.ConnConfig) map[*tls.Config]*tls.Config {
	from := map[*tls.Config]*tls.Config{copied.TLSConfig: url.TLSConfig}
	for i, f := range copied.Fallbacks {
		from[f.TLSConfig] = url.Fallbacks[i].TLSConfig
	}
	return from
}

// If a hook has set or changed the TLSConfig, spreadTLS applies it to every host and every try.
// This is necessary because the driver keeps one configuration for each try, and may try without
// TLS after a try with it. was is the TLSConfig before the hook ran, and from is the result of
// tlsOf at that time. A TLSConfig that the hook set or changed in a Fallback stays there. A Unix
// socket needs no TLS.
func spreadTLS(config *pgx.ConnConfig, was *tls.Config, from map[*tls.Config]*tls.Config) {
	changed := func(c *tls.Config) bool {
		url, ok := from[c]
		return !ok || !equalTLS(c, url)
	}
	if config.TLSConfig == was && !changed(was) {
		return
	}
	last := &pgconn.FallbackConfig{Host: config.Host, Port: config.Port}
	var tries []*pgconn.FallbackConfig // a new slice, because the hook may share its own
	for _, f := range config.Fallbacks {
		network, _ := pgconn.NetworkAddress(f.Host, f.Port)
		switch {
		case f.TLSConfig != nil && changed(f.TLSConfig), network == "unix":
			tries = append(tries, f)
		case f.Host != last.Host || f.Port != last.Port:
			last = &pgconn.FallbackConfig{Host: f.Host, Port: f.Port, TLSConfig: config.TLSConfig.Clone()}
			if last.TLSConfig != nil && last.TLSConfig.ServerName == config.Host {
				last.TLSConfig.ServerName = f.Host
			}
			tries = append(tries, last)
		} // otherwise it would repeat the previous try
	}
	config.Fallbacks = tries
}

// equalTLS reports whether a hook has left a, which is a clone of b, unchanged.
func equalTLS(a, b *tls.Config) bool {
	if a == nil || b == nil {
		return a == b
	}
	x, y := reflect.ValueOf(a).Elem(), reflect.ValueOf(b).Elem()
	for i := range x.NumField() {
		f, g := x.Field(i), y.Field(i)
		switch {
		case !x.Type().Field(i).IsExported():
		case f.Kind() == reflect.Func: // DeepEqual never treats two functions as equal
			if f.Pointer() != g.Pointer() {
				return false
			}
		case !reflect.DeepEqual(f.Interface(), g.Interface()):
			return false
		}
	}
	return true
}
