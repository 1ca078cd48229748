package write

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/cockroachdb/pebble/v2"
	"google.golang.org/protobuf/proto"

	"svc/edge/store/layout"
	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/shared/credential"
)

// organizationChange writes an organization's name and existence. The keys of a deleted one are not found.
func (w *Writer) organizationChange(o *recordpb.Organization) error {
	if o.Id != w.log {
		return fmt.Errorf("organization %s in the log of %s", o.Id, w.log)
	}
	if former := w.State.Organization; former != nil {
		w.sub(record.OrganizationRow(former))
	}
	value, err := proto.Marshal(o)
	if err != nil {
		return err
	}
	w.State.Organization = o
	w.add(record.OrganizationRow(o))
	w.key = w.State.Gen.Start(w.key, layout.TableOrganization)
	return w.out.Put(w.key, value, nil)
}

// keyChange writes a key, which its public id names for ever.
func (w *Writer) keyChange(k *recordpb.Key) error {
	if k.PublicId == "" || len(k.Hash) != len(credential.Hash{}) {
		return fmt.Errorf("key %s has no public id or no hash", k.Id)
	}
	w.key = w.State.Gen.Text(w.key, layout.TableKey, k.PublicId)
	if !w.loading && w.it.SeekGE(w.key) && bytes.Equal(w.it.Key(), w.key) {
		value, err := w.it.ValueAndErr()
		if err != nil {
			return err
		}
		var former recordpb.Key
		if err := proto.Unmarshal(value, &former); err != nil {
			return err
		}
		w.sub(record.KeyRow(&former))
	}
	if err := w.it.Error(); err != nil {
		return err
	}
	value, err := proto.Marshal(k)
	if err != nil {
		return err
	}
	w.add(record.KeyRow(k))
	return w.out.Put(w.key, value, nil)
}

// indexKey makes a key of an organization findable.
func indexKey(batch *pebble.Batch, organization, publicID string, key []byte) error {
	value := binary.AppendUvarint(nil, uint64(len(organization)))
	value = append(append(value, organization...), key...)
	return batch.Set(layout.Global.Text(nil, layout.TablePublicKey, publicID), value, nil)
}

// HideKeys makes the keys of a generation findable no longer.
func HideKeys(batch *pebble.Batch, it *pebble.Iterator, g layout.Generation) error {
	return layout.EachKey(it, g, func(publicID string, _ []byte) error {
		return batch.Delete(layout.Global.Text(nil, layout.TablePublicKey, publicID), nil)
	})
}

// ShowKeys makes the keys of a load findable.
func (w *Writer) ShowKeys(batch *pebble.Batch) error {
	return showKeys(batch, w.it, w.State.Gen, w.log)
}

// showKeys makes the keys of a generation findable.
func showKeys(batch *pebble.Batch, it *pebble.Iterator, g layout.Generation, organization string) error {
	return layout.EachKey(it, g, func(publicID string, key []byte) error {
		return indexKey(batch, organization, publicID, key)
	})
}
