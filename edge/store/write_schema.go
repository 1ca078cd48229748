package store

import (
	"encoding/binary"
	"fmt"

	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/shared/schema"
)

// deploy puts schema versions in force and takes collections away. A schema that this build cannot read is refused
// here, so no read ever meets one.
func (w *writer) deploy(d *recordpb.Schema) error {
	for _, c := range d.Collections {
		if err := w.deployOne(d.FromRelease, c); err != nil {
			return fmt.Errorf("schema of %s: %w", c.Name, err)
		}
	}
	for _, name := range d.Removed {
		a, err := w.account(name)
		if err != nil {
			return err
		}
		if err := w.setVersion(a, d.FromRelease, collectionState{name: name}); err != nil {
			return fmt.Errorf("removal of %s: %w", name, err)
		}
	}
	return nil
}

func (w *writer) deployOne(from uint64, c *recordpb.CollectionVersion) error {
	parsed, err := schema.Parse(c.Canonical)
	if err != nil {
		return fmt.Errorf("version %d cannot be read: %w", c.Version, err)
	}
	if parsed.Name != c.Name || c.Version == 0 {
		return fmt.Errorf("version %d is a schema of %s", c.Version, parsed.Name)
	}
	a, err := w.account(c.Name)
	if err != nil {
		return err
	}
	w.key = w.led.gen.small(w.key, tableSchema, a.number, c.Version)
	if err := w.out.put(w.key, c.Canonical, nil); err != nil {
		return err
	}
	if err := w.define(a, parsed); err != nil {
		return err
	}
	return w.setVersion(a, from, collectionState{version: c.Version, name: c.Name, label: c.Label, hash: c.Hash})
}

func (w *writer) setVersion(a *account, from uint64, now collectionState) error {
	if a.version != 0 {
		w.sub(record.SchemaRow(a.name, a.version, a.hash, a.label))
	}
	a.collectionState = now
	if a.version != 0 {
		w.add(record.SchemaRow(a.name, a.version, a.hash, a.label))
	}
	w.value = binary.BigEndian.AppendUint32(w.value[:0], a.version)
	w.key = w.led.gen.numbered(w.key, tableVersion, a.number, from)
	if err := w.out.put(w.key, w.value, nil); err != nil {
		return err
	}
	return w.putCollectionState(a)
}
