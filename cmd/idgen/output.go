package main

import (
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// writing has a value while lines are written.
var writing = make(chan struct{}, 1)

// A shielded writer is given whole lines, at most 4,096 bytes if a line is not longer: a pipe takes so many as a whole
// or not at all. A signal waits until they are written: a number that is cut would be another id.
type shielded struct{ to io.Writer }

func (w shielded) Write(lines []byte) (int, error) {
	writing <- struct{}{}
	defer func() { <-writing }()
	return w.to.Write(lines)
}

// endBetweenLines has a signal that ends the program wait until the lines that are being written are, but not for long:
// nobody may be reading.
func endBetweenLines() {
	signals := make(chan os.Signal, 1)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		if !signal.Ignored(s) { // as with nohup
			signal.Notify(signals, s)
		}
	}
	go func() {
		s := <-signals
		select {
		case writing <- struct{}{}:
		case <-time.After(200 * time.Millisecond):
		}
		signal.Reset()
		if self, err := os.FindProcess(os.Getpid()); err == nil && self.Signal(s) == nil {
			time.Sleep(time.Second) // until it has come
		}
		os.Exit(1)
	}()
}
