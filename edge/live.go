package edge

import (
	"svc/edge/live"
	"svc/edge/store"
	"svc/shared/content"
)

// newHub makes the hub of live events, which the store tells of its commits.
func (e *Edge) newHub() *live.Hub {
	return live.New(live.Config{Memory: int(e.cfg.Memory / 32), Position: func(project content.ProjectID) (uint64, bool) {
		at, held, err := e.store.Position(string(project))
		if err != nil {
			e.logger.Error("cannot tell where the log of a project stands", "project", project, "error", err)
		}
		return at.Seq, held
	}})
}

// committed passes on what happened in the log of a project; rights that change with an organization's are looked at by streams.
func (e *Edge) committed(c store.Commit) {
	project := content.ProjectID(c.Log)
	switch {
	case !content.IsID[content.ProjectID](c.Log):
	case c.Change == nil:
		e.live.Reset(project, c.Seq)
	default:
		e.live.Publish(live.EventOf(c.Change, c.Release, c.WasPublic))
	}
}
