package main

// Standard output, which a signal must not cut in the middle of a line.

import (
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// A shielded writer is given whole lines, at most 4,096 bytes if a line is not longer. A signal that ends the program
// waits until they are written: a number that is cut would be another id.
type shielded struct {
	to      io.Writer
	writing chan struct{} // has a value while lines are written
}

func (w shielded) Write(lines []byte) (int, error) {
	w.writing <- struct{}{}
	defer func() { <-w.writing }()
	return w.to.Write(lines)
}

// shield returns a writer to another that no signal interrupts within a line, but for SIGKILL.
func shield(to io.Writer) io.Writer {
	w := shielded{to, make(chan struct{}, 1)}
	signals := make(chan os.Signal, 1)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		if !signal.Ignored(s) { // as of a job that a script has in the background
			signal.Notify(signals, s)
		}
	}
	go w.end(signals)
	return w
}

// end ends the program as the first signal would have, between two lines, or after a second: nobody may be reading.
func (w shielded) end(signals <-chan os.Signal) {
	s := <-signals
	select {
	case w.writing <- struct{}{}:
	case <-time.After(time.Second):
	}
	signal.Reset()
	if self, err := os.FindProcess(os.Getpid()); err == nil && self.Signal(s) == nil {
		time.Sleep(time.Second) // until it has come
	}
	os.Exit(1)
}
