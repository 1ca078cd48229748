package store

import (
	"fmt"

	"github.com/cockroachdb/pebble/v2"
	"google.golang.org/protobuf/proto"

	"svc/edge/store/layout"
	"svc/replication/record"
	"svc/replication/record/recordpb"
)

// settings puts a project's settings in force.
func (w *writer) settings(p *recordpb.Project) error {
	if p.Id != w.log {
		return fmt.Errorf("settings of %s in the log of %s", p.Id, w.log)
	}
	if former := w.led.settings; former != nil {
		if p.FromRelease < former.FromRelease {
			return fmt.Errorf("settings from release %d come after those from release %d", p.FromRelease, former.FromRelease)
		}
		w.sub(record.ProjectRow(former))
	}
	value, err := proto.Marshal(p)
	if err != nil {
		return err
	}
	w.led.settings = p
	w.add(record.ProjectRow(p))
	w.key = w.led.Gen.LogNumber(w.key, layout.TableSettings, p.FromRelease)
	return w.out.Put(w.key, value, nil)
}

// nameProject makes the slug of a project's settings lead to it, and the former one no longer; nil is none. The caller
// holds s.slugging until the batch is committed: a slug may pass from one project to another, and their logs come in
// any order.
func (s *Store) nameProject(batch *pebble.Batch, id string, former, now *recordpb.Project) error {
	if former != nil && (now == nil || now.Deleted || now.Slug != former.Slug) {
		key := layout.Global.Text(nil, layout.TableProjectSlug, former.Slug)
		owner, err := s.get(key)
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
