//go:build race

package dsl

// underRace says that this program was built with the race detector, whose own memory counts against every limit of
// the kernel many times over. The watchdog alone then bounds what an evaluation takes.
const underRace = true
