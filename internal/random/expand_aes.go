//go:build (amd64 || arm64 || ppc64 || ppc64le || s390x) && !purego

package random

// expands reports whether blocks are expanded from a key. Processors of this architecture have AES
// instructions, with which expanding a key is faster than reading a whole block from the kernel. On
// a processor without them, such as the one of a Raspberry Pi 4, crypto/aes runs in plain Go, and
// random bits cost about four times as much. The standard library does not report which is the
// case.
const expands = true
