package cli

import (
	"fmt"
	"io"
	"net/http"
	"os"

	"golang.org/x/term"
)

// World is everything that a command sees of the outside, so that a test can stand in for all of it.
type World struct {
	In       io.Reader
	Out, Err io.Writer
	// InTerminal, OutTerminal and ErrTerminal tell which of the three a person sits at.
	InTerminal, OutTerminal, ErrTerminal bool
	// Env reads a variable of the environment; one that is not set is empty.
	Env func(name string) string
	// Dir is the working directory.
	Dir string
	// Transport carries the requests; nil is one that goes over the network.
	Transport http.RoundTripper
}

// System is the world of this process.
func System() (World, error) {
	dir, err := os.Getwd()
	if err != nil {
		return World{}, fmt.Errorf("finding the working directory: %w", err)
	}
	return World{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		InTerminal: isTerminal(os.Stdin), OutTerminal: isTerminal(os.Stdout), ErrTerminal: isTerminal(os.Stderr),
		Env: os.Getenv, Dir: dir,
	}, nil
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }
