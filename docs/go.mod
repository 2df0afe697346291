// The pages are a module of their own, with no package in it, so that nobody who uses the library downloads them.
module github.com/oneclock/ids/docs

go 1.25
