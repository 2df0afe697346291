module github.com/oneclock/ids/cmd/idsvet

go 1.26.0

require (
	github.com/rogpeppe/go-internal v1.14.1
	golang.org/x/tools v0.52.0
)

require (
	golang.org/x/mod v0.42.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
)
