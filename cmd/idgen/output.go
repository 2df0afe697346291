package main

import (
	"bytes"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// atOnce is how many bytes are written at a time, if a line is not longer. A pipe takes so many as a whole or not at all.
const atOnce = 4096

// wholeLines hands whole lines on. A number that is cut within would be another id.
type wholeLines struct {
	to   io.Writer
	held []byte // not handed on yet
}

// Write writes p up to its last line end, and keeps the rest for the next call.
func (w *wholeLines) Write(p []byte) (int, error) {
	w.held = append(w.held, p...)
	for {
		n := bytes.LastIndexByte(w.held[:min(atOnce, len(w.held))], '\n') + 1
		if n == 0 {
			n = bytes.IndexByte(w.held, '\n') + 1 // a long line
		}
		if n == 0 {
			return len(p), nil
		}
		writing.Lock()
		_, err := w.to.Write(w.held[:n])
		writing.Unlock()
		if err != nil {
			return 0, err
		}
		w.held = w.held[:copy(w.held, w.held[n:])]
	}
}

// writing is held while lines are written.
var writing sync.Mutex

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
		written := make(chan struct{})
		go func() {
			writing.Lock()
			close(written)
		}()
		select {
		case <-written:
		case <-time.After(200 * time.Millisecond):
		}
		signal.Reset()
		if self, err := os.FindProcess(os.Getpid()); err == nil && self.Signal(s) == nil {
			time.Sleep(time.Second) // until it has come
		}
		os.Exit(1)
	}()
}
