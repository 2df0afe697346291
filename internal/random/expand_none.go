//go:build !(amd64 || arm64 || ppc64 || ppc64le || s390x) || purego

package random

// expands reports whether blocks are expanded from a key. On this architecture, or with the purego
// tag, crypto/aes uses plain Go code, which is neither faster than the kernel nor free of timing
// differences.
const expands = false
