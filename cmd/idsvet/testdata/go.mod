module example.com

go 1.26.0

require (
	github.com/oneclock/ids v0.0.0
	github.com/stretchr/testify v0.0.0
)

replace (
	github.com/oneclock/ids => ../../..
	github.com/stretchr/testify => ./testify
)
