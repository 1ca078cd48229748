package write

import (
	"encoding/binary"
	"fmt"

	"svc/edge/store/index"
	"svc/edge/store/layout"
	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/shared/schema"
)

// deploy puts schema versions in force and takes collections away. A schema that this build cannot read is refused
// here, so no read ever meets one.
func (w *Writer) deploy(d *recordpb.Schema) error {
	for _, c := range d.Collections {
		if err := w.deployOne(d.FromRelease, c); err != nil {
			return fmt.Errorf("schema of %s: %w", c.Name, err)
		}
	}
	for _, name := range d.Removed {
		a, err := w.collection(name)
		if err != nil {
			return err
		}
		if err := w.setVersion(a, d.FromRelease, layout.CollectionState{Name: name}); err != nil {
			return fmt.Errorf("removal of %s: %w", name, err)
		}
	}
	return nil
}

func (w *Writer) deployOne(from uint64, c *recordpb.CollectionVersion) error {
	parsed, err := schema.Parse(c.Canonical)
	if err != nil {
		return fmt.Errorf("version %d cannot be read: %w", c.Version, err)
	}
	if parsed.Name != c.Name || c.Version == 0 {
		return fmt.Errorf("version %d is a schema of %s", c.Version, parsed.Name)
	}
	a, err := w.collection(c.Name)
	if err != nil {
		return err
	}
	w.key = w.State.Gen.CollectionNumber(w.key, layout.TableSchema, a.Number, c.Version)
	if err := w.out.Put(w.key, c.Canonical, nil); err != nil {
		return err
	}
	if err := w.define(a, parsed); err != nil {
		return err
	}
	return w.setVersion(a, from, layout.CollectionState{Version: c.Version, Name: c.Name, Label: c.Label, Hash: c.Hash})
}

func (w *Writer) setVersion(a *Collection, from uint64, now layout.CollectionState) error {
	if a.Version != 0 {
		w.sub(record.SchemaRow(a.Name, a.Version, a.Hash, a.Label))
	}
	a.CollectionState = now
	if a.Version != 0 {
		w.add(record.SchemaRow(a.Name, a.Version, a.Hash, a.Label))
	}
	w.value = binary.BigEndian.AppendUint32(w.value[:0], a.Version)
	w.key = w.State.Gen.CollectionRelease(w.key, layout.TableVersion, a.Number, from)
	if err := w.out.Put(w.key, w.value, nil); err != nil {
		return err
	}
	return w.putCollectionState(a)
}

// define gives a schema its definitions. A new one is built from now on by releases, and of what was published before by the
// builder; a load builds all at its end.
func (w *Writer) define(a *Collection, c *schema.Collection) error {
	for name := range index.Names(c) {
		if a.Definitions.Has(name) {
			continue
		}
		d := index.NewDefinition(a.Definitions.Next, name, w.loading || a.next == 0)
		if d.Class == index.ClassTerms && !a.Definitions.HasTexts() {
			// What was published before is left to the builder.
			if err := w.putTexts(a, layout.TextsIndexed{Release: a.touched}); err != nil {
				return err
			}
		}
		a.Definitions.Add(d)
		if err := w.putDefinition(a, d); err != nil {
			return err
		}
	}
	return nil
}

func (w *Writer) putDefinition(a *Collection, d *index.Definition) error {
	w.value = d.Append(w.value[:0])
	w.key = w.State.Gen.CollectionNumber(w.key, layout.TableDefinition, a.Number, d.Number)
	return w.out.Put(w.key, w.value, nil)
}
