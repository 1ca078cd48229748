package server

import (
	"cmp"
	"time"
)

// Pace bounds how slow callers may be, and the server. Zero values are the defaults.
type Pace struct {
	// Header is how long a caller has to send the head of a request. 0 is 15 seconds.
	Header time.Duration
	// Idle is how long a connection may rest between requests. 0 is 75 seconds.
	Idle time.Duration
	// Caller is how long a caller may let the line rest in the middle of a request, and has to take an answer of common
	// size. 0 is 30 seconds.
	Caller time.Duration
	// Read is how long the store has for a list, its wait for the lists of others included. 0 is 10 seconds, as at core.
	Read time.Duration
	// Comment is the time between two comment lines on a stream of live events, and Stall how long its reader may take nothing of
	// what is sent. 0 is 15 and 45 seconds.
	Comment, Stall time.Duration
	// Drain is how long a server that is told to stop goes on taking requests, so that what spreads them can see
	// that it is not ready any more.
	Drain time.Duration
	// Settle is how long connections that rest then stay open. 0 is one second.
	Settle time.Duration
	// Grace is how long requests that are under way may then take. 0 is 20 seconds.
	Grace time.Duration
}

// connectionMemory is what a used connection takes: a buffer for the heads of its requests, one for answers, a stack.
const connectionMemory = 40 << 10

// Room is how many connections fit into an amount of memory.
func Room(bytes int64) int { return int(max(64, bytes/connectionMemory)) }

// large is the size from which an answer gets more time, and perSecond how much of it a caller must take.
const (
	large     = 1 << 20
	perSecond = 64 << 10
)

func (p Pace) withDefaults() Pace {
	return Pace{
		Header: cmp.Or(p.Header, 15*time.Second), Idle: cmp.Or(p.Idle, 75*time.Second), Caller: cmp.Or(p.Caller, 30*time.Second),
		Read: cmp.Or(p.Read, 10*time.Second), Comment: cmp.Or(p.Comment, 15*time.Second), Stall: cmp.Or(p.Stall, 45*time.Second),
		Drain: p.Drain, Settle: cmp.Or(p.Settle, time.Second), Grace: cmp.Or(p.Grace, 20*time.Second),
	}
}

// forSize is how long a caller has to take an answer.
func (p Pace) forSize(bytes int) time.Duration {
	return p.Caller + time.Duration(bytes/perSecond)*time.Second
}
