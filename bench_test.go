package ids_test

import (
	"context"
	"crypto/md5"
	"crypto/rand"
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/oneclock/ids"
)

// Each loop calls what it measures directly: b.Loop keeps the results alive.

// stamped returns 16 bytes in the way that constructors do: it is inlined, and what it calls is not.
func stamped(mu *sync.Mutex, anchor time.Time) (u ids.UUID) {
	stamp(&u, mu, anchor)
	return u
}

//go:noinline
func stamp(u *ids.UUID, mu *sync.Mutex, anchor time.Time) {
	mu.Lock()
	elapsed := uint64(time.Since(anchor))
	mu.Unlock()
	binary.BigEndian.PutUint64(u[:8], elapsed)
	binary.BigEndian.PutUint64(u[8:], elapsed)
}

// BenchmarkFloor measures what ids are made of: no id that tells the time can cost less than a
// reading of the clock.
func BenchmarkFloor(b *testing.B) {
	b.Run("time.Now", func(b *testing.B) {
		for b.Loop() {
			time.Now()
		}
	})
	b.Run("time.Since", func(b *testing.B) {
		anchor := time.Now()
		for b.Loop() {
			time.Since(anchor)
		}
	})
	b.Run("Mutex", func(b *testing.B) {
		var mu sync.Mutex
		for b.Loop() {
			mu.Lock()
			//lint:ignore SA2001 the empty section is what is measured
			mu.Unlock()
		}
	})
	b.Run("Mutex+time.Since", func(b *testing.B) {
		var mu sync.Mutex
		anchor := time.Now()
		for b.Loop() {
			mu.Lock()
			time.Since(anchor)
			mu.Unlock()
		}
	})
	b.Run("Mutex+time.Since+UUID", func(b *testing.B) { // as a result of 16 bytes, in memory
		var mu sync.Mutex
		anchor := time.Now()
		for b.Loop() {
			stamped(&mu, anchor)
		}
	})
	b.Run("rand.Read16", func(b *testing.B) {
		var buf [16]byte
		for b.Loop() {
			rand.Read(buf[:])
		}
	})
	dns := ids.NamespaceDNS()
	name := append(dns[:], "www.example.com"...)
	b.Run("md5.Sum", func(b *testing.B) {
		for b.Loop() {
			md5.Sum(name)
		}
	})
	b.Run("sha1.Sum", func(b *testing.B) {
		for b.Loop() {
			sha1.Sum(name)
		}
	})
	u, s, buf := ids.NewV4(), int64(ids.NextSnowflake()), make([]byte, 36)
	b.Run("hex.Encode5", func(b *testing.B) {
		for b.Loop() {
			hex.Encode(buf[0:], u[0:4])
			hex.Encode(buf[9:], u[4:6])
			hex.Encode(buf[14:], u[6:8])
			hex.Encode(buf[19:], u[8:10])
			hex.Encode(buf[24:], u[10:16])
		}
	})
	b.Run("strconv.AppendInt+string", func(b *testing.B) {
		for b.Loop() {
			var buf [20]byte
			_ = string(strconv.AppendInt(buf[:0], s, 10))
		}
	})
}

// wideNode returns a node with 18 bits of sequence in a tick, so that minting never has to wait.
func wideNode(b *testing.B) *ids.SnowflakeNode {
	n, err := ids.NewSnowflakeNode(1, &ids.SnowflakeOptions{Layout: ids.SnowflakeLayout{
		Epoch: time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC), Tick: time.Millisecond, NodeBits: 4, SequenceBits: 18,
	}})
	if err != nil {
		b.Fatal(err)
	}
	return n
}

func BenchmarkNew(b *testing.B) {
	b.Run("V1", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			ids.NewV1()
		}
	})
	b.Run("V2", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			ids.NewV2(ids.DomainPerson, 1000)
		}
	})
	b.Run("V3", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			ids.NewV3(ids.NamespaceDNS(), "www.example.com")
		}
	})
	b.Run("V4", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			ids.NewV4()
		}
	})
	b.Run("V5", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			ids.NewV5(ids.NamespaceDNS(), "www.example.com")
		}
	})
	b.Run("V6", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			ids.NewV6()
		}
	})
	b.Run("V7", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			ids.NewV7()
		}
	})
	b.Run("V7At", func(b *testing.B) {
		b.ReportAllocs()
		at := time.Now()
		for b.Loop() {
			ids.NewV7At(at)
		}
	})
	b.Run("V8", func(b *testing.B) {
		b.ReportAllocs()
		data := [16]byte(ids.NewV4())
		for b.Loop() {
			ids.NewV8(data)
		}
	})
	b.Run("ULID", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			ids.NewULID()
		}
	})
	b.Run("Snowflake", func(b *testing.B) {
		b.ReportAllocs()
		n := wideNode(b)
		for b.Loop() {
			n.Next()
		}
	})
	b.Run("Snowflake/TryNext", func(b *testing.B) {
		b.ReportAllocs()
		n := wideNode(b)
		for b.Loop() {
			n.TryNext()
		}
	})
	b.Run("Snowflake/NextContext", func(b *testing.B) {
		b.ReportAllocs()
		n := wideNode(b)
		ctx, cancel := context.WithCancel(b.Context())
		defer cancel()
		for b.Loop() {
			n.NextContext(ctx)
		}
	})
}

// BenchmarkNewParallel mints from one goroutine a processor, and from 64.
func BenchmarkNewParallel(b *testing.B) {
	node := wideNode(b)
	for _, goroutines := range []int{1, 64} {
		for _, m := range []struct {
			name string
			loop func(pb *testing.PB)
		}{
			{"V1", func(pb *testing.PB) {
				for pb.Next() {
					ids.NewV1()
				}
			}},
			{"V4", func(pb *testing.PB) {
				for pb.Next() {
					ids.NewV4()
				}
			}},
			{"V6", func(pb *testing.PB) {
				for pb.Next() {
					ids.NewV6()
				}
			}},
			{"V7", func(pb *testing.PB) {
				for pb.Next() {
					ids.NewV7()
				}
			}},
			{"ULID", func(pb *testing.PB) {
				for pb.Next() {
					ids.NewULID()
				}
			}},
			{"Snowflake", func(pb *testing.PB) {
				for pb.Next() {
					node.Next()
				}
			}},
		} {
			b.Run(fmt.Sprintf("%s/goroutines=%d", m.name, goroutines), func(b *testing.B) {
				b.ReportAllocs()
				b.SetParallelism(goroutines)
				b.RunParallel(m.loop)
			})
		}
	}
}

// BenchmarkAppend mints runs of 1,000 ids; ns/id is what one of them costs.
func BenchmarkAppend(b *testing.B) {
	const n = 1000
	perID := func(b *testing.B) {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/id")
	}
	uuids, ulids, snowflakes := make([]ids.UUID, 0, n), make([]ids.ULID, 0, n), make([]ids.Snowflake, 0, n)
	node := wideNode(b)
	for _, m := range []struct {
		name string
		run  func()
	}{
		{"V4", func() { ids.AppendV4(uuids, n) }},
		{"V7", func() { ids.AppendV7(uuids, n) }},
		{"ULID", func() { ids.AppendULID(ulids, n) }},
		{"Snowflake", func() { node.Append(snowflakes, n) }},
	} {
		b.Run(m.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				m.run()
			}
			perID(b)
		})
	}
}

func BenchmarkText(b *testing.B) {
	u, l, s := ids.NewV7(), ids.NewULID(), ids.NextSnowflake()
	buf := make([]byte, 0, 64)
	b.Run("UUID/AppendText", func(b *testing.B) {
		for b.Loop() {
			u.AppendText(buf)
		}
	})
	b.Run("UUID/String", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_ = u.String()
		}
	})
	b.Run("UUID/Base58", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			u.Base58()
		}
	})
	b.Run("ULID/AppendText", func(b *testing.B) {
		for b.Loop() {
			l.AppendText(buf)
		}
	})
	b.Run("ULID/String", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_ = l.String()
		}
	})
	b.Run("Snowflake/AppendText", func(b *testing.B) {
		for b.Loop() {
			s.AppendText(buf)
		}
	})
	b.Run("Snowflake/String", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_ = s.String()
		}
	})
	b.Run("Snowflake/Base32", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			s.Base32()
		}
	})
	b.Run("Snowflake/Base58", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			s.Base58()
		}
	})
}

func BenchmarkParse(b *testing.B) {
	u, l, s := ids.NewV7(), ids.NewULID(), ids.NextSnowflake()
	ut, lt, st := u.String(), l.String(), s.String()
	u58, s58, s32 := u.Base58(), s.Base58(), s.Base32()
	b.Run("UUID", func(b *testing.B) {
		for b.Loop() {
			ids.ParseUUID(ut)
		}
	})
	b.Run("UUID/bad", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			ids.ParseUUID("00000000-0000-0000-0000-00000000000x")
		}
	})
	b.Run("UUID/Base58", func(b *testing.B) {
		for b.Loop() {
			ids.ParseUUIDBase58(u58)
		}
	})
	b.Run("ULID", func(b *testing.B) {
		for b.Loop() {
			ids.ParseULID(lt)
		}
	})
	b.Run("ULID/bad", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			ids.ParseULID("0000000000000000000000000U")
		}
	})
	b.Run("Snowflake", func(b *testing.B) {
		for b.Loop() {
			ids.ParseSnowflake(st)
		}
	})
	b.Run("Snowflake/bad", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			ids.ParseSnowflake("123x")
		}
	})
	b.Run("Snowflake/Base32", func(b *testing.B) {
		for b.Loop() {
			ids.ParseSnowflakeBase32(s32)
		}
	})
	b.Run("Snowflake/Base58", func(b *testing.B) {
		for b.Loop() {
			ids.ParseSnowflakeBase58(s58)
		}
	})
}
