package dsl

import (
	"context"
	"fmt"
	"runtime/metrics"
	"time"

	"github.com/grafana/sobek"

	"svc/shared/schema"
)

// What a schema folder may have, and its evaluation may take. MaxMemory is by how much the heap of the program may grow.
const (
	MaxFiles     = 1000
	MaxFileBytes = 1 << 20
	MaxBytes     = 4 << 20
	MaxTime      = 5 * time.Second
	MaxMemory    = 512 << 20

	// maxWalked bounds the names looked at, so that a folder named by mistake does not cost a walk over a whole disk.
	maxWalked = 50_000
	// maxFolders bounds how deep folders are nested in the schema folder.
	maxFolders = 32
	// maxValues and maxResultBytes bound what files may declare, in JSON values and in bytes. It may be more than a push
	// takes: what is replaced by another declaration is left out of that, and so are options that only say the default.
	maxValues      = 250_000
	maxResultBytes = 8 * schema.MaxSetBytes
	// maxDepth is how deep values may be nested; package schema asks for less.
	maxDepth = 60
	// maxCalls bounds nested calls.
	maxCalls = 2000
	// maxIssues bounds what is reported.
	maxIssues = 500
)

// limits are what one evaluation may take: tests give it less.
type limits struct {
	time   time.Duration
	memory uint64 // bytes
}

// watch interrupts an evaluation when ctx ends and when the heap has grown too much, until stop is called. The engine looks
// for an interruption between two steps of a program, not within a function of the language.
func (l limits) watch(ctx context.Context, vm *sobek.Runtime) (stop func()) {
	done, before := make(chan struct{}), heap()
	go func() {
		ticker := time.NewTicker(5 * time.Millisecond)
		defer ticker.Stop()
		for {
			select {
			case <-done:
				return
			case <-ctx.Done():
				vm.Interrupt(CodeTimeLimit)
				return
			case <-ticker.C:
				if heap() > before+l.memory {
					vm.Interrupt(CodeMemoryLimit)
					return
				}
			}
		}
	}()
	return func() { close(done) }
}

// heap is how many bytes the objects of the program take.
func heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// exceeded says which limit was exceeded.
func (l limits) exceeded(code Code) string {
	if code == CodeMemoryLimit {
		return fmt.Sprintf("its evaluation needs more than the %d MB of memory it may take", l.memory>>20)
	}
	return fmt.Sprintf("its evaluation takes longer than the %s it may take", l.time)
}
