package pgstore_test

// Tests of TLS configurations of a BeforeConnect.

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/oneclock/ids/nodelease/internal/must"
	"github.com/oneclock/ids/nodelease/pgstore"
)

// certificate returns a certificate for the hosts a and b, and a pool with the CA that signed it.
func certificate(t *testing.T) (tls.Certificate, *x509.CertPool) {
	key := must.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{"a", "b"}, NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der := must.Get(x509.CreateCertificate(rand.Reader, template, template, key.Public(), key))(t)
	pool := x509.NewCertPool()
	pool.AddCert(must.Get(x509.ParseCertificate(der))(t))
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pool
}

// logins records the logins at servers, in order: the address, and the name that the client
// requests by TLS, or "plain".
type logins struct {
	sync.Mutex
	got []string
}

func (l *logins) note(address, how string) {
	l.Lock()
	defer l.Unlock()
	l.got = append(l.got, strings.TrimSuffix(address, ":5432")+" "+how)
}

// serve accepts one login and ends the connection. Without a certificate, the server has no TLS.
func (l *logins) serve(c net.Conn, address string, cert *tls.Certificate) {
	defer c.Close()
	var b [8]byte
	if _, err := io.ReadFull(c, b[:]); err != nil {
		return
	}
	const sslRequest = 80877103
	if binary.BigEndian.Uint32(b[4:]) != sslRequest {
		l.note(address, "plain")
		return
	}
	if cert == nil {
		_, _ = c.Write([]byte("N"))
		return
	}
	_, _ = c.Write([]byte("S"))
	s := tls.Server(c, &tls.Config{Certificates: []tls.Certificate{*cert}})
	if _, err := io.ReadFull(s, b[:]); err == nil {
		l.note(address, "TLS for "+s.ConnectionState().ServerName)
	}
}

// TestTLS tests hooks that set a TLSConfig or change the one from the URL. The TLSConfig applies to
// every host and every attempt.
func TestTLS(t *testing.T) {
	t.Parallel()
	cert, pool := certificate(t)
	otherCert, other := certificate(t)
	file := filepath.Join(t.TempDir(), "ca.pem")
	must.Do(t, os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: otherCert.Certificate[0]}), 0o600))
	set := func(pool *x509.CertPool) func(*pgx.ConnConfig) {
		return func(c *pgx.ConnConfig) { c.TLSConfig = &tls.Config{RootCAs: pool, ServerName: c.Host} }
	}
	change := func(pool *x509.CertPool) func(*pgx.ConnConfig) {
		return func(c *pgx.ConnConfig) { c.TLSConfig.InsecureSkipVerify, c.TLSConfig.RootCAs = false, pool }
	}
	named := func(c *pgx.ConnConfig) { c.TLSConfig = &tls.Config{RootCAs: pool, ServerName: "a"} }
	nothing := func(c *pgx.ConnConfig) { c.Password = "s3cret" }
	for name, test := range map[string]struct {
		url    string
		hook   func(*pgx.ConnConfig)
		none   bool // the servers have no TLS
		logins string
	}{
		"a CA that did not sign":             {url: "a", hook: set(other)},
		"a CA that did not sign, prefer":     {url: "a?sslmode=prefer", hook: set(other)},
		"a CA that did not sign, allow":      {url: "a?sslmode=allow", hook: set(other)},
		"a CA that did not sign, require":    {url: "a?sslmode=require", hook: set(other)},
		"a CA that did not sign, disable":    {url: "a?sslmode=disable", hook: set(other)},
		"a CA that did not sign, two hosts":  {url: "a,b", hook: set(other)},
		"a CA that did not sign, require, 2": {url: "a,b?sslmode=require", hook: set(other)},
		"no TLS":                             {url: "a", hook: set(pool), none: true},
		"no TLS, require":                    {url: "a?sslmode=require", hook: set(pool), none: true},
		"no TLS, disable":                    {url: "a?sslmode=disable", hook: set(pool), none: true},
		"no TLS, two hosts":                  {url: "a,b", hook: set(pool), none: true},
		"no TLS, two addresses":              {url: "both", hook: set(pool), none: true},
		"the CA":                             {url: "a", hook: set(pool), logins: "10.0.0.1 TLS for a"},
		"the CA, allow":                      {url: "a?sslmode=allow", hook: set(pool), logins: "10.0.0.1 TLS for a"},
		"the CA, disable":                    {url: "a?sslmode=disable", hook: set(pool), logins: "10.0.0.1 TLS for a"},
		"the CA, two hosts":                  {url: "a,b", hook: set(pool), logins: "10.0.0.1 TLS for a, 10.0.0.2 TLS for b"},
		"the CA, two ports":                  {url: "a,a:5433", hook: set(pool), logins: "10.0.0.1 TLS for a, 10.0.0.1:5433 TLS for a"},
		"the CA, verify-full":                {url: "a,b?sslmode=verify-full", hook: set(pool), logins: "10.0.0.1 TLS for a, 10.0.0.2 TLS for b"},
		"one name for two hosts":             {url: "b,b:5433", hook: named, logins: "10.0.0.2 TLS for a, 10.0.0.2:5433 TLS for a"},
		"a socket":                           {url: "a,%2Frun", hook: set(other), logins: "/run/.s.PGSQL.5432 plain"},

		"in place, a CA that did not sign": {url: "a", hook: change(other)},
		"in place, two hosts":              {url: "a,b?sslmode=require", hook: change(other)},
		"in place, no TLS":                 {url: "a", hook: change(pool), none: true},
		"in place, the CA, two hosts":      {url: "a,b", hook: change(pool), logins: "10.0.0.1 TLS for a, 10.0.0.2 TLS for b"},
		"in place, a function": {url: "a", hook: func(c *pgx.ConnConfig) {
			c.TLSConfig.VerifyConnection = func(tls.ConnectionState) error { return errRefused }
		}},

		"a Fallback's own": {url: "a,b", hook: func(c *pgx.ConnConfig) {
			set(other)(c)
			c.Fallbacks[len(c.Fallbacks)-1].TLSConfig = &tls.Config{RootCAs: pool, ServerName: "b"}
		}, logins: "10.0.0.2 TLS for b"},
		"a Fallback's, in place": {url: "a,b?sslmode=require", hook: func(c *pgx.ConnConfig) {
			set(other)(c)
			c.Fallbacks[0].TLSConfig.MinVersion = tls.VersionTLS13
		}, logins: "10.0.0.2 TLS for b"},
		"a Fallback of the hook, without TLS": {url: "a", hook: func(c *pgx.ConnConfig) {
			set(other)(c)
			c.Fallbacks = []*pgconn.FallbackConfig{{Host: "b", Port: 5432}}
		}},
		"no TLS by the hook": {url: "a,b?sslmode=require", hook: func(c *pgx.ConnConfig) { c.TLSConfig = nil }, logins: "10.0.0.1 plain, 10.0.0.2 plain"},

		// Settings that a hook does not change come from the URL.
		"nothing":            {url: "a,b", hook: nothing, none: true, logins: "10.0.0.1 plain, 10.0.0.2 plain"},
		"nothing, prefer":    {url: "a?sslmode=prefer", hook: nothing, logins: "10.0.0.1 TLS for a, 10.0.0.1 plain"},
		"nothing, allow":     {url: "a?sslmode=allow", hook: nothing, logins: "10.0.0.1 plain, 10.0.0.1 TLS for a"},
		"nothing, verify-ca": {url: "a,b?sslmode=verify-ca", hook: nothing},
	} {
		t.Run(name, func(t *testing.T) {
			got, names := new(logins), map[string][]string{"a": {"10.0.0.1"}, "b": {"10.0.0.2"}, "both": {"10.0.0.1", "10.0.0.2"}}
			hosts, query, _ := strings.Cut(test.url, "?")
			if strings.Contains(query, "verify") {
				query += "&sslrootcert=" + file // of a CA that did not sign the certificate
			}
			own := &cert
			if test.none {
				own = nil
			}
			var all sync.WaitGroup
			_, err := pgstore.New(t.Context(), "postgres://u@"+hosts+"/ids?"+query, &pgstore.Options{BeforeConnect: func(_ context.Context, c *pgx.ConnConfig) error {
				c.LookupFunc = func(_ context.Context, host string) ([]string, error) { return names[host], nil }
				c.DialFunc = func(_ context.Context, _, address string) (net.Conn, error) {
					if address == "pipe" { // a cancel request
						return nil, errRefused
					}
					client, server := net.Pipe()
					all.Go(func() { got.serve(server, address, own) })
					return client, nil
				}
				test.hook(c)
				return nil
			}})
			all.Wait()
			if have := strings.Join(got.got, ", "); have != test.logins || err == nil {
				t.Errorf("logins %q, want %q; New: %v", have, test.logins, err)
			}
		})
	}
}
