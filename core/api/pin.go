package api

import (
	"svc/core/project"
	"svc/core/wire"
	"svc/shared/fault"
)

// pinOf is nil where a project is not pinned.
func pinOf(p project.Project) *wire.Pin {
	if p.PinnedRelease == 0 || p.PinnedAt == nil {
		return nil
	}
	return &wire.Pin{Release: p.PinnedRelease, Reason: orNull(p.PinReason), PinnedBy: orNull(p.PinnedBy), PinnedAt: wire.Time{Time: *p.PinnedAt}}
}

// getPin answers {data: null} where the project is not pinned.
func getPin(c *call) (*wire.Pin, error) { return pinOf(*c.project), nil }

// putPin and deletePin honour Prefer: wait as publishing does, so that a caller can know when no edge answers otherwise.
func putPin(c *call, in wire.NewPin) (*wire.Pin, error) {
	if in.Release == nil {
		return nil, fault.Invalid("release", "is missing: give the number of the release that reads are to answer")
	}
	p, err := project.Pin(c.ctx(), c.server.Pool, c.actor, c.project.ID, *in.Release, in.Reason)
	if err != nil {
		return nil, err
	}
	c.awaitHead(string(c.project.ID))
	return pinOf(*p), nil
}

// deletePin answers 204 also where there was no pin: what was asked for is so.
func deletePin(c *call) (none, error) {
	if _, err := project.Unpin(c.ctx(), c.server.Pool, c.actor, c.project.ID); err != nil {
		return none{}, err
	}
	c.awaitHead(string(c.project.ID))
	return none{}, nil
}
