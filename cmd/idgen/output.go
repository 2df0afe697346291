package main

// This file contains the writer for standard output. It prevents a signal from interrupting the
// output in the middle of a line.

import (
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// When a signal would end the program, a shielded writer first finishes the current lines, because
// a truncated number would be a different ID. Each call to Write must pass whole lines, and at most
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

// shield returns a writer that passes all lines to the given writer. SIGINT and SIGTERM do not
// interrupt the output in the middle of a line, unless writing takes more than a second.
func shield(to io.Writer) io.Writer {
	w := shielded{to, make(chan struct{}, 1)}
	signals := make(chan os.Signal, 1)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		if !signal.Ignored(s) { // ignored, for example, in a script's background job
			signal.Notify(signals, s)
		}
	}
	go w.end(signals)
	return w
}

// end waits for the first signal. It then ends the program as the signal would have done, but not
// in the middle of a line. It waits at most a second for the current lines to be written, because
// the output might have no reader.
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
