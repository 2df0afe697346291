//go:build (amd64 || arm64 || ppc64 || ppc64le || s390x) && !purego

package random

// expands says that processors of this architecture have AES instructions, with which expanding a key is cheaper
// than asking the kernel for all of a block. On one that has none, such as that of a Raspberry Pi 4, crypto/aes
// runs in plain Go, and random bits cost some four times as much: the standard library does not tell.
const expands = true
