//go:build !(amd64 || arm64 || ppc64 || ppc64le || s390x) || purego

package random

// expands says that crypto/aes runs in plain Go on this architecture, where it is neither
// faster than the kernel nor free of timing differences.
const expands = false
