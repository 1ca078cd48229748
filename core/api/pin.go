package api

import (
	"svc/core/project"
	"svc/shared/fault"
)

// pinBody is the release that reads of a project answer on every node.
type pinBody struct {
	Release  uint64  `json:"release"`
	Reason   *string `json:"reason"`
	PinnedBy *string `json:"pinnedBy"` // null: the system
	PinnedAt stamp   `json:"pinnedAt"`
}

// pinOf is nil where a project is not pinned.
func pinOf(p project.Project) *pinBody {
	if p.PinnedRelease == 0 || p.PinnedAt == nil {
		return nil
	}
	return &pinBody{p.PinnedRelease, orNull(p.PinReason), orNull(p.PinnedBy), stamp(*p.PinnedAt)}
}

type newPin struct {
	Release *uint64 `json:"release"`
	Reason  string  `json:"reason"`
}

// getPin answers {data: null} where the project is not pinned.
func getPin(c *call) (*pinBody, error) { return pinOf(*c.project), nil }

// putPin and deletePin honour Prefer: wait as publishing does, so that a caller can know when no edge answers otherwise.
func putPin(c *call, in newPin) (*pinBody, error) {
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
