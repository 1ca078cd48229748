package api

import (
	"net/http"

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
func getPin(c *call) (reply, error) { return one(pinOf(*c.project)), nil }

// putPin and deletePin honour Prefer: wait as publishing does, so that a caller can know when no edge answers otherwise.
func putPin(c *call, in newPin) (reply, error) {
	if in.Release == nil {
		return reply{}, fault.Invalid("release", "is missing: give the number of the release that reads are to answer")
	}
	p, err := project.Pin(c.ctx(), c.server.Pool, c.actor, c.project.ID, *in.Release, in.Reason)
	if err != nil {
		return reply{}, err
	}
	c.awaitHead(string(c.project.ID))
	return one(pinOf(*p)), nil
}

// deletePin answers 204 also where there was no pin: what was asked for is so.
func deletePin(c *call) (reply, error) {
	if _, err := project.Unpin(c.ctx(), c.server.Pool, c.actor, c.project.ID); err != nil {
		return reply{}, err
	}
	c.awaitHead(string(c.project.ID))
	return reply{status: http.StatusNoContent}, nil
}
