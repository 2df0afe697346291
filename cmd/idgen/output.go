package main

// Standard output, which a signal must not interrupt in the middle of a line.

import (
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// A shielded writer delays a signal that ends the program until its lines are written, because a
// truncated number would be another ID. Each call of Write must contain whole lines, and at most
// 4,096 bytes unless a single line is longer.
type shielded struct {
	to      io.Writer
	writing chan struct{} // contains a value while lines are being written
}

func (w shielded) Write(lines []byte) (int, error) {
	w.writing <- struct{}{}
	defer func() { <-w.writing }()
	return w.to.Write(lines)
}

// shield returns a writer that writes to the given one. SIGINT and SIGTERM do not interrupt it
// within a line, unless it takes more than a second to write.
func shield(to io.Writer) io.Writer {
	w := shielded{to, make(chan struct{}, 1)}
	signals := make(chan os.Signal, 1)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		if !signal.Ignored(s) { // for example, in a background job of a script
			signal.Notify(signals, s)
		}
	}
	go w.end(signals)
	return w
}

// end ends the program as the first signal would have ended it, but between two lines. It waits
// at most a second for that, because the output may have no reader.
func (w shielded) end(signals <-chan os.Signal) {
	s := <-signals
	select {
	case w.writing <- struct{}{}:
	case <-time.After(time.Second):
	}
	signal.Reset()
	if self, err := os.FindProcess(os.Getpid()); err == nil && self.Signal(s) == nil {
		time.Sleep(time.Second) // until the signal arrives
	}
	os.Exit(1)
}
