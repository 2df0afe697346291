package pgstore

// This file contains the code that applies the TLSConfig from Options.BeforeConnect to all hosts.

import (
	"crypto/tls"
	"reflect"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// tlsOf maps each TLS configuration in copied, a copy of url, to the original one in url.
func tlsOf(copied, url *pgx.ConnConfig) map[*tls.Config]*tls.Config {
	from := map[*tls.Config]*tls.Config{copied.TLSConfig: url.TLSConfig}
	for i, f := range copied.Fallbacks {
		from[f.TLSConfig] = url.Fallbacks[i].TLSConfig
	}
	return from
}

// If a hook has set or changed config.TLSConfig, spreadTLS applies that TLSConfig to every host and
// every attempt. This is necessary because config contains a separate TLSConfig for each attempt,
// and the driver may try without TLS after an attempt with TLS. Before the hook runs, the caller
// must save the TLSConfig and the result of tlsOf, which it then passes as was and from. If the
// hook has set or changed the TLSConfig of a Fallback, spreadTLS preserves that TLSConfig. Unix
// sockets need no TLS.
func spreadTLS(config *pgx.ConnConfig, was *tls.Config, from map[*tls.Config]*tls.Config) {
	changed := func(c *tls.Config) bool {
		url, ok := from[c]
		return !ok || !equalTLS(c, url)
	}
	if config.TLSConfig == was && !changed(was) {
		return
	}
	last := &pgconn.FallbackConfig{Host: config.Host, Port: config.Port}
	var tries []*pgconn.FallbackConfig // a new slice, because the hook may share the old one
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
		} // in all other cases, f would repeat the previous attempt
	}
	config.Fallbacks = tries
}

// equalTLS reports whether a is equal to b. The config a is a clone of b that a hook may have
// changed.
func equalTLS(a, b *tls.Config) bool {
	if a == nil || b == nil {
		return a == b
	}
	x, y := reflect.ValueOf(a).Elem(), reflect.ValueOf(b).Elem()
	for i := range x.NumField() {
		f, g := x.Field(i), y.Field(i)
		switch {
		case !x.Type().Field(i).IsExported():
		case f.Kind() == reflect.Func: // DeepEqual treats functions as unequal unless both are nil
			if f.Pointer() != g.Pointer() {
				return false
			}
		case !reflect.DeepEqual(f.Interface(), g.Interface()):
			return false
		}
	}
	return true
}
