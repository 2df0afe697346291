//go:build (amd64 || arm64 || ppc64 || ppc64le || s390x) && !purego

package random

// expands says that crypto/aes uses the processor's AES instructions here, so
// that expanding a key is cheaper than asking the kernel for all of a block.
const expands = true
