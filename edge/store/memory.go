package store

import "runtime/debug"

// garbagePercent is how much garbage there may be to what is kept before it is collected. Most of what a store keeps holds no pointers,
// so that to collect more often costs little, and what is spared of memory can be kept.
const garbagePercent = 50

// LimitMemory has the collector of this process work harder as it nears what an edge may keep: its budget in bytes, and half as much again
// for what lists are ordered by (Config.MemoryBudget). Undo makes it work as before.
func LimitMemory(budget int64) (undo func()) {
	limit, percent := debug.SetMemoryLimit(budget+budget/2), debug.SetGCPercent(garbagePercent)
	return func() {
		debug.SetMemoryLimit(limit)
		debug.SetGCPercent(percent)
	}
}
