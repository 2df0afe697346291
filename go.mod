module github.com/oneclock/ids

go 1.25
