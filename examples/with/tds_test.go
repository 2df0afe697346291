package with

import (
	"bytes"
	"database/sql"
	"encoding/binary"
	"io"
	"net"
	"sync"
	"testing"
	"unicode/utf16"

	_ "github.com/microsoft/go-mssqldb" // registers "sqlserver"
)

// A sqlServer speaks as much of SQL Server's protocol, TDS, as it takes to answer each query with
// one row of one uniqueidentifier, or of NULL.
type sqlServer struct {
	stored  []byte // what the column holds
	mu      sync.Mutex
	request []byte // the latest query
}

// open returns a database whose server is s.
func (s *sqlServer) open(t *testing.T, options string) *sql.DB {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { l.Close() })
	go func() {
		for conn, err := l.Accept(); err == nil; conn, err = l.Accept() {
			go s.serve(conn)
		}
	}()
	db, err := sql.Open("sqlserver", "sqlserver://sa:x@"+l.Addr().String()+"?encrypt=disable&dial+timeout=5"+options)
	must(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}

func (s *sqlServer) serve(conn net.Conn) {
	defer conn.Close()
	for {
		kind, request, err := readTDS(conn)
		if err != nil {
			return
		}
		var b []byte
		done := []byte{0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}
		switch kind {
		case 18: // the greeting: version 16, no encryption
			b = []byte{0, 0, 11, 0, 6, 1, 0, 17, 0, 1, 0xff, 16, 0, 0, 0, 0, 0, 2}
		case 16: // a login, which is acknowledged with version 7.4 of the protocol
			b = append([]byte{0xad, 10, 0, 1, 0x74, 0, 0, 4, 0, 16, 0, 0, 0}, done...)
		default:
			s.mu.Lock()
			s.request = request
			s.mu.Unlock()
			// One column without a name, that may be NULL, of type GUID and size 16; then a row.
			b = append([]byte{0x81, 1, 0, 0, 0, 0, 0, 1, 0, 0x24, 16, 0, 0xd1, byte(len(s.stored))}, s.stored...)
			b = append(b, done...)
		}
		header := []byte{4, 1, 0, 0, 0, 0, 1, 0}
		binary.BigEndian.PutUint16(header[2:], uint16(len(header)+len(b)))
		if _, err := conn.Write(append(header, b...)); err != nil {
			return
		}
	}
}

// readTDS returns the next message, which may be of several packets.
func readTDS(r io.Reader) (kind byte, message []byte, err error) {
	for {
		var header [8]byte
		if _, err = io.ReadFull(r, header[:]); err != nil {
			return 0, nil, err
		}
		packet := make([]byte, binary.BigEndian.Uint16(header[2:])-uint16(len(header)))
		if _, err = io.ReadFull(r, packet); err != nil {
			return 0, nil, err
		}
		message = append(message, packet...)
		if header[1]&1 != 0 { // the last one
			return header[0], message, nil
		}
	}
}

// sent reports whether the latest query contained b.
func (s *sqlServer) sent(b []byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return bytes.Contains(s.request, b)
}

// utf16LE returns s as SQL Server has text.
func utf16LE(s string) (b []byte) {
	for _, c := range utf16.Encode([]rune(s)) {
		b = binary.LittleEndian.AppendUint16(b, c)
	}
	return b
}

func query1(t *testing.T, db *sql.DB, param, dst any) {
	t.Helper()
	must(t, db.QueryRowContext(t.Context(), "SELECT id FROM orders WHERE id = @p1", param).Scan(dst))
}
