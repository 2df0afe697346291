package compare

import (
	"testing"

	gofrs "github.com/gofrs/uuid/v5"
	google "github.com/google/uuid"
	oklog "github.com/oklog/ulid/v2"
	"github.com/oneclock/ids"
	"github.com/rs/xid"
	"github.com/segmentio/ksuid"
)

// BenchmarkNew makes one id at a time, on one goroutine.
func BenchmarkNew(b *testing.B) {
	runGroups(b, "New", []group{newV1, newV6, newV7, newV4, newV3, newV5, newULID, newSnowflake, newSnowflakeUsual})
}

var newV1 = group{"V1", []entry{
	timeNow,
	sinceInMutex,
	{"ids", func(b *testing.B) {
		for b.Loop() {
			ids.NewV1()
		}
	}},
	{"ids_own", func(b *testing.B) {
		g := own()
		for b.Loop() {
			g.NewV1()
		}
	}},
	{"google", func(b *testing.B) {
		for b.Loop() {
			google.NewUUID()
		}
	}},
	{"gofrs", func(b *testing.B) {
		for b.Loop() {
			gofrs.NewV1()
		}
	}},
}}

var newV6 = group{"V6", []entry{
	timeNow,
	sinceInMutex,
	{"ids", func(b *testing.B) {
		for b.Loop() {
			ids.NewV6()
		}
	}},
	{"ids_own", func(b *testing.B) {
		g := own()
		for b.Loop() {
			g.NewV6()
		}
	}},
	{"google", func(b *testing.B) {
		for b.Loop() {
			google.NewV6()
		}
	}},
	{"gofrs", func(b *testing.B) {
		for b.Loop() {
			gofrs.NewV6()
		}
	}},
}}

var newV7 = group{"V7", []entry{
	timeNow,
	sinceInMutex,
	{"ids", func(b *testing.B) {
		for b.Loop() {
			ids.NewV7()
		}
	}},
	{"ids_own", func(b *testing.B) {
		g := own()
		for b.Loop() {
			g.NewV7()
		}
	}},
	{"google", func(b *testing.B) {
		for b.Loop() {
			google.NewV7()
		}
	}},
	{"google_pool", func(b *testing.B) {
		defer pool()()
		for b.Loop() {
			google.NewV7()
		}
	}},
	{"gofrs", func(b *testing.B) {
		for b.Loop() {
			gofrs.NewV7()
		}
	}},
}}

var newV4 = group{"V4", []entry{
	randRead16,
	{"ids", func(b *testing.B) {
		for b.Loop() {
			ids.NewV4()
		}
	}},
	{"google", func(b *testing.B) {
		for b.Loop() {
			google.NewRandom()
		}
	}},
	{"google_pool", func(b *testing.B) {
		defer pool()()
		for b.Loop() {
			google.NewRandom()
		}
	}},
	{"gofrs", func(b *testing.B) {
		for b.Loop() {
			gofrs.NewV4()
		}
	}},
}}

var newV3 = group{"V3", []entry{
	md5Sum,
	{"ids", func(b *testing.B) {
		for b.Loop() {
			ids.NewV3(ids.NamespaceDNS(), sampleName)
		}
	}},
	{"google", func(b *testing.B) {
		for b.Loop() {
			google.NewMD5(google.NameSpaceDNS, []byte(sampleName))
		}
	}},
	{"gofrs", func(b *testing.B) {
		for b.Loop() {
			gofrs.NewV3(gofrs.NamespaceDNS, sampleName)
		}
	}},
}}

var newV5 = group{"V5", []entry{
	sha1Sum,
	{"ids", func(b *testing.B) {
		for b.Loop() {
			ids.NewV5(ids.NamespaceDNS(), sampleName)
		}
	}},
	{"google", func(b *testing.B) {
		for b.Loop() {
			google.NewSHA1(google.NameSpaceDNS, []byte(sampleName))
		}
	}},
	{"gofrs", func(b *testing.B) {
		for b.Loop() {
			gofrs.NewV5(gofrs.NamespaceDNS, sampleName)
		}
	}},
}}

var newULID = group{"ULID", []entry{
	timeNow,
	sinceInMutex,
	{"ids", func(b *testing.B) {
		for b.Loop() {
			ids.NewULID()
		}
	}},
	{"ids_own", func(b *testing.B) {
		g := own()
		for b.Loop() {
			g.NewULID()
		}
	}},
	{"oklog", func(b *testing.B) {
		for b.Loop() {
			oklog.Make()
		}
	}},
	{"oklog_crand", func(b *testing.B) {
		for b.Loop() {
			oklog.MustNew(oklog.Now(), oklogCrypto)
		}
	}},
	{"xid", func(b *testing.B) {
		for b.Loop() {
			xid.New()
		}
	}},
	{"ksuid", func(b *testing.B) {
		for b.Loop() {
			ksuid.New()
		}
	}},
}}

var newSnowflake = group{"Snowflake", []entry{
	timeNow,
	sinceInMutex,
	{"ids", func(b *testing.B) {
		node, _, _ := roomy()
		ids.SetDefaultSnowflakeNode(node)
		defer ids.SetDefaultSnowflakeNode(nil)
		for b.Loop() {
			ids.NextSnowflake()
		}
	}},
	{"bwmarrin", func(b *testing.B) {
		_, node, _ := roomy()
		for b.Loop() {
			node.Generate()
		}
	}},
	{"sonyflake", func(b *testing.B) {
		_, _, node := roomy()
		for b.Loop() {
			node.NextID()
		}
	}},
}}

var newSnowflakeUsual = group{"SnowflakeUsual", []entry{
	{"ids", func(b *testing.B) {
		node, _, _ := usual()
		for b.Loop() {
			node.Next()
		}
	}},
	{"bwmarrin", func(b *testing.B) {
		_, node, _ := usual()
		for b.Loop() {
			node.Generate()
		}
	}},
	{"sonyflake", func(b *testing.B) {
		_, _, node := usual()
		for b.Loop() {
			node.NextID()
		}
	}},
}}
