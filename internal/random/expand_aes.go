//go:build (amd64 || arm64 || ppc64 || ppc64le || s390x) && !purego

package random

// expands reports whether blocks are expanded from a key. With AES instructions, which most
// processors of this architecture have, expanding a key is faster than reading a whole block from
// the kernel. On a processor without them, such as that of a Raspberry Pi 4, crypto/aes uses plain
// Go code, and random bits cost about four times as much. The standard library does not report
// whether the processor has these instructions.
const expands = true
