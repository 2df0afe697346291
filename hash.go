package ids

// This file contains versions 3 and 5, which are the MD5 and SHA-1 hashes of a name, and version 8,
// whose bits the caller supplies.

import (
	"crypto/md5"
	"crypto/sha1"
)

// NamespaceDNS returns the namespace of fully qualified domain names, for use with [NewV3] and
// [NewV5]. See [Section 6.6 of RFC 9562].
//
// [Section 6.6 of RFC 9562]: https://www.rfc-editor.org/rfc/rfc9562#section-6.6
func NamespaceDNS() UUID { return namespace(0x10) }

// NamespaceURL returns the namespace of URLs. See [NamespaceDNS].
func NamespaceURL() UUID { return namespace(0x11) }

// NamespaceOID returns the namespace of ISO object identifiers. See [NamespaceDNS].
func NamespaceOID() UUID { return namespace(0x12) }

// NamespaceX500 returns the namespace of X.500 distinguished names. See [NamespaceDNS].
func NamespaceX500() UUID { return namespace(0x14) }

// namespace returns 6ba7b8XX-9dad-11d1-80b4-00c04fd430c8.
func namespace(x uint64) (u UUID) {
	u.set(1, 0x6ba7b800_9dad_11d1|x<<32, 0x80b4_00c04fd430c8)
	return u
}

// hashBuf is the maximum total size of a namespace and a name that [NewV3] and [NewV5] hash without
// an allocation.
const hashBuf = 16 + 112

// NewV3 returns the version 3 UUID of a name in a namespace. It contains 122 bits of their MD5
// hash. The same namespace and name always give the same UUID. New programs should use [NewV5].
// With GODEBUG=fips140=only, NewV3 works in Go 1.26 and later; in Go 1.25, it panics.
func NewV3(namespace UUID, name string) (u UUID) {
	var buf [hashBuf]byte
	copy(buf[:], namespace[:])
	var sum [md5.Size]byte
	exempt(func() { sum = md5.Sum(append(buf[:16], name...)) })
	hi, lo := split(sum)
	u.set(3, hi, lo)
	return u
}

// NewV5 returns the version 5 UUID of a name in a namespace. It contains 122 bits of their SHA-1
// hash. The same namespace and name always give the same UUID. For GODEBUG=fips140=only, see
// [NewV3].
func NewV5(namespace UUID, name string) (u UUID) {
	var buf [hashBuf]byte
	copy(buf[:], namespace[:])
	var sum [sha1.Size]byte
	exempt(func() { sum = sha1.Sum(append(buf[:16], name...)) })
	hi, lo := split([16]byte(sum[:]))
	u.set(5, hi, lo)
	return u
}

// NewV8 returns a version 8 UUID with your data. It sets the version and the variant, and keeps the
// other 122 bits of data.
func NewV8(data [16]byte) (u UUID) {
	hi, lo := split(data)
	u.set(8, hi, lo)
	return u
}
