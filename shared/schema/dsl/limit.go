package dsl

import (
	"time"

	"svc/shared/schema"
)

// What a schema folder may have, and its evaluation may take. Options can only ask for less time and memory.
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
	// maxMarks bounds the remembered positions of builder calls.
	maxMarks = 250_000
	// maxIssues bounds what is reported.
	maxIssues = 500
	// maxAnswerBytes bounds what the parent reads from the child.
	maxAnswerBytes = 64 << 20
)

// budget is the time of one evaluation, and when who ends it: the engine is asked to stop first, which tells where the
// file was; a child that does not get there ends itself; the parent ends one that does not even do that.
type budget struct {
	time   time.Duration
	memory int64
}

func (o Options) budget() budget {
	b := budget{MaxTime, MaxMemory}
	if o.Time > 0 {
		b.time = min(b.time, o.Time)
	}
	if o.Memory > 0 {
		b.memory = min(b.memory, o.Memory)
	}
	return b
}

func (b budget) interrupt() time.Duration { return b.time * 80 / 100 }
func (b budget) leave() time.Duration     { return b.time * 90 / 100 }
func (b budget) kill() time.Duration      { return b.time * 96 / 100 }

// Of the memory, the collector of the child is told to keep to half. The engine is asked to stop when three eighths
// are still in use after a collection. The child leaves when it holds five eighths, and the system refuses it more on
// top of what it started with, so that the whole process stays below the limit.
func (b budget) collect() int64    { return b.memory / 2 }
func (b budget) liveBytes() uint64 { return uint64(b.memory) / 8 * 3 }
func (b budget) heldBytes() uint64 { return uint64(b.memory) / 8 * 5 }
