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

// NameProject makes the slug of a project's settings lead to it, and the former one no longer; nil is none. The caller
// lets no other log name its project until the batch is committed: a slug may pass from one project to another, and their logs come in
// any order.
func NameProject(src pebble.Reader, batch *pebble.Batch, id string, former, now *recordpb.Project) error {
	if former != nil && (now == nil || now.Deleted || now.Slug != former.Slug) {
		key := layout.Global.Text(nil, layout.TableProjectSlug, former.Slug)
		owner, err := layout.Get(src, key)
		if err != nil {
			return err
		}
		if string(owner) == id {
			if err := batch.Delete(key, nil); err != nil {
				return err
			}
		}
	}
	if now == nil || now.Deleted {
		return nil
	}
	return batch.Set(layout.Global.Text(nil, layout.TableProjectSlug, now.Slug), []byte(id), nil)
}
