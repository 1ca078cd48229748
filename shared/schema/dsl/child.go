package dsl

import (
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// childName is argument zero of a child: how a program knows that it is one.
const childName = "svc-schema-evaluation"

// How a child ends where it cannot answer. The Go runtime ends a program that is refused memory with 2.
const (
	exitFailed  = 1
	exitRuntime = 2
	exitTime    = 3
	exitMemory  = 4
	exitOrphan  = 5
)

// prepared says that RunChild was called. A program that does not would start itself again and again.
var prepared atomic.Bool

// RunChild evaluates schema files and ends the process where this process was started for that, and returns at once
// otherwise. A program that calls Load calls it first thing in main, a test in TestMain.
func RunChild() {
	prepared.Store(true)
	if len(os.Args) == 0 || os.Args[0] != childName {
		return
	}
	os.Exit(runChild(os.Stdin, os.Stdout, os.Stderr))
}

// runChild evaluates one request. What a file does to this process is bounded before the first look at it: from then
// on it can open nothing, and the clock and the memory are watched.
func runChild(in io.Reader, out, log io.Writer) int {
	started := time.Now()
	debug.SetTraceback("none")
	time.Local = time.UTC
	r, err := readRequest(in)
	if err != nil {
		return failed(log, err)
	}
	b := budget{time.Duration(r.TimeMillis) * time.Millisecond, r.MemoryBytes}
	if err := confine(b); err != nil {
		return failed(log, err)
	}
	w := watch(b, started)
	go leaveWithParent(in)
	records := jsontext.NewEncoder(out)
	a, err := evaluateFiles(r, b, w, func(file string) error {
		return json.MarshalEncode(records, record{Doing: file})
	})
	if err != nil {
		return failed(log, err)
	}
	w.done()
	if err := json.MarshalEncode(records, record{Answer: &a}); err != nil {
		return failed(log, err)
	}
	return 0
}

func failed(log io.Writer, err error) int {
	io.WriteString(log, err.Error()+"\n") //nolint:errcheck // there is nobody else to tell
	return exitFailed
}

// leaveWithParent ends the process when the parent closes the pipe or is gone.
func leaveWithParent(in io.Reader) {
	io.Copy(io.Discard, in) //nolint:errcheck // any end of it is the end
	os.Exit(exitOrphan)
}

// confine bounds what the process can take.
func confine(b budget) error {
	debug.SetMemoryLimit(b.collect())
	debug.SetGCPercent(100)
	debug.SetMaxStack(32 << 20)
	runtime.GOMAXPROCS(min(2, runtime.GOMAXPROCS(0)))
	return confineProcess(b)
}
