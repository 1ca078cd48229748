package snapshot_test

import (
	"errors"
	"testing"

	"svc/replication/follow/followtest"
	"svc/replication/record"
	"svc/replication/snapshot"
	"svc/shared/blob/blobtest"
	"svc/shared/content"
)

// A snapshot that says to what a project is pinned has a version at which older builds stop; one that does not is read by
// all of them. Who is held to the older version leaves the newer one to others.
func TestASnapshotHasTheLowestVersionThatCanSayIt(t *testing.T) {
	core, store := followtest.NewCore(), &blobtest.Memory{}
	project, organization := string(content.NewID[content.ProjectID]()), string(content.NewID[content.OrganizationID]())
	settings := followtest.Project(project, organization, 1)
	held := &snapshot.Writer{Source: core, Blobs: store, Dir: t.TempDir(), Version: record.Oldest}
	free := &snapshot.Writer{Source: core, Blobs: store, Dir: t.TempDir()}
	write := func(w *snapshot.Writer, pin uint64, want record.Version) {
		t.Helper()
		next := followtest.Project(project, organization, settings.FromRelease)
		next.PinnedRelease = pin
		core.Append(project, next)
		if _, err := w.Write(t.Context(), project); err != nil {
			t.Fatal(err)
		}
		m, err := snapshot.Latest(t.Context(), store, project)
		if err != nil || record.Version(m.Version) != want {
			t.Errorf("pinned to %d: version %d, %v", pin, m.GetVersion(), err)
		}
		if state, err := load(t.Context(), store, m); err != nil || state.Sum() != core.Sum(project) {
			t.Errorf("pinned to %d: loaded something else, %v", pin, err)
		}
	}
	write(free, 0, 1)
	write(held, 0, 1)
	write(free, 1, 2)
	core.Append(project, followtest.Rank(followtest.Entry(), "a"))
	var refused *record.VersionLimitError
	if _, err := held.Write(t.Context(), project); !errors.As(err, &refused) || refused.Needs != 2 {
		t.Errorf("a writer that is limited to version 1: %v", err)
	}
}
