module example.com

go 1.26.0

require github.com/oneclock/ids v0.0.0

replace github.com/oneclock/ids => ../../..
