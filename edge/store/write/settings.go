package write

import (
	"fmt"

	"github.com/cockroachdb/pebble/v2"
	"google.golang.org/protobuf/proto"

	"svc/edge/store/layout"
	"svc/replication/record"
	"svc/replication/record/recordpb"
)

// settings puts a project's settings in force.
func (w *Writer) settings(p *recordpb.Project) error {
	if p.Id != w.log {
		return fmt.Errorf("settings of %s in the log of %s", p.Id, w.log)
	}
	if former := w.State.Settings; former != nil {
		if p.FromRelease < former.FromRelease {
			return fmt.Errorf("settings from release %d come after those from release %d", p.FromRelease, former.FromRelease)
		}
		w.sub(record.ProjectRow(former))
	}
	value, err := proto.Marshal(p)
	if err != nil {
		return err
	}
	w.State.Settings = p
	w.add(record.ProjectRow(p))
	w.key = w.State.Gen.LogNumber(w.key, layout.TableSettings, p.FromRelease)
	return w.out.Put(w.key, value, nil)
}

// NameProject makes the slug of a project's settings lead to it, and the former one no longer; nil is none. A slug may pass from one
// project to another, and their logs come in any order, so several may have it for a while. The caller lets no other log name its
// project until the batch is committed.
func NameProject(src pebble.Reader, batch *pebble.Batch, id string, former, now *recordpb.Project) error {
	was, is := slugOf(former), slugOf(now)
	if was == is {
		return nil
	}
	if was != "" {
		if err := changeOwners(src, batch, was, func(o layout.SlugOwners) layout.SlugOwners { return o.Without(id) }); err != nil {
			return err
		}
	}
	if is == "" {
		return nil
	}
	return changeOwners(src, batch, is, func(o layout.SlugOwners) layout.SlugOwners { return append(o.Without(id), id) })
}

// slugOf returns the slug that settings give to a project, and none where they delete it.
func slugOf(p *recordpb.Project) string {
	if p.GetDeleted() {
		return ""
	}
	return p.GetSlug()
}

func changeOwners(src pebble.Reader, batch *pebble.Batch, slug string, change func(layout.SlugOwners) layout.SlugOwners) error {
	owners, err := layout.OwnersOf(src, slug)
	if err != nil {
		return err
	}
	key := layout.Global.Text(nil, layout.TableProjectSlug, slug)
	if owners = change(owners); len(owners) == 0 {
		return batch.Delete(key, nil)
	}
	return batch.Set(key, owners.Value(), nil)
}
