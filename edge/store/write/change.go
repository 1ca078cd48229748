package write

import (
	"fmt"

	"github.com/cockroachdb/pebble/v2"
	"google.golang.org/protobuf/proto"

	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/shared/content"
)

// Change writes one change, with the store's own rows that go with it.
func (w *Writer) Change(c *record.Change, batch *pebble.Batch) error {
	w.change = c.Position.Seq
	former := w.State.Settings
	if err := w.Add(c.Kind, c.Body); err != nil {
		return err
	}
	switch body := c.Body.(type) {
	case *recordpb.Project:
		return NameProject(w.db, batch, w.log, former, body)
	case *recordpb.Organization:
		if body.Deleted {
			return HideKeys(batch, w.it, w.State.Gen)
		}
		return showKeys(batch, w.it, w.State.Gen, w.log)
	case *recordpb.Key:
		if o := w.State.Organization; o != nil && o.Deleted {
			return nil
		}
		key, err := proto.Marshal(body)
		if err != nil {
			return err
		}
		return indexKey(batch, w.log, body.PublicId, key)
	}
	return nil
}

// Add writes the rows of one body. A project's log carries projects, schemas, releases and ranks, an organization's
// the rest.
func (w *Writer) Add(kind record.Kind, body any) error {
	ofProject := content.IsID[content.ProjectID](w.log)
	switch b := body.(type) {
	case *recordpb.Project:
		if ofProject {
			return w.settings(b)
		}
	case *recordpb.Schema:
		if ofProject {
			return w.deploy(b)
		}
	case *recordpb.Release:
		if ofProject {
			return w.release(b)
		}
	case *recordpb.Rank:
		if ofProject {
			return w.rankChange(b)
		}
	case *recordpb.Organization:
		if !ofProject {
			return w.organizationChange(b)
		}
	case *recordpb.Key:
		if !ofProject {
			return w.keyChange(b)
		}
	}
	return fmt.Errorf("a %T of kind %q does not belong in log %s", body, kind, w.log)
}
