package write

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"svc/edge/store/index"
	"svc/edge/store/layout"
	"svc/edge/store/snapshot"
	"svc/replication/record"
	"svc/replication/record/recordpb"
	"svc/shared/content"
	"svc/shared/read"
)

func (p *publication) item(item *recordpb.Item) error {
	e, err := parseEntry(item.Entry)
	if err != nil {
		return err
	}
	before, ever, err := p.current(p.a, e)
	if err != nil {
		return err
	}
	switch item.Operation {
	case recordpb.Operation_OPERATION_PUT:
		n, err := p.numberOf(e, ever)
		if err != nil {
			return err
		}
		return p.put(item, e, n, before)
	case recordpb.Operation_OPERATION_UNPUBLISH, recordpb.Operation_OPERATION_DELETE:
		if !before.Live {
			return nil
		}
		n, err := p.numberOf(e, true)
		if err != nil {
			return err
		}
		return p.takeAway(item, e, n, before)
	}
	return fmt.Errorf("operation %d is unknown", item.Operation)
}

// numberOf returns an entry's number, giving it one where it was never published before.
func (p *publication) numberOf(e layout.EntryID, ever bool) (uint32, error) {
	if !ever {
		return p.noteFirst(e)
	}
	if p.loading { // which files by numbers at its end
		return 0, nil
	}
	return p.entryNumber(p.a, e)
}

// noteFirst counts an entry that was never published before.
func (p *publication) noteFirst(e layout.EntryID) (n uint32, err error) {
	n = p.a.ever
	p.a.ever++
	p.value = layout.AppendFirst(p.value[:0], p.release.Number, n)
	p.key = p.State.Gen.Entry(p.key, layout.TableFirst, p.a.Number, e)
	return n, p.out.Put(p.key, p.value, nil)
}

func (p *publication) put(item *recordpb.Item, e layout.EntryID, n uint32, before layout.EntryState) error {
	revision, ok := content.Bytes(content.RevisionID(item.Revision))
	if !ok {
		return fmt.Errorf("%q is no revision id", item.Revision)
	}
	if strings.IndexByte(item.Slug, 0) >= 0 {
		return fmt.Errorf("slug %q has a zero byte", item.Slug)
	}
	if p.a.next > layout.MaxDocument {
		return fmt.Errorf("the collection has had %d revisions, which is all it can have", p.a.next)
	}
	now := layout.EntryState{Live: true, Document: p.a.next, Revision: revision, Slug: item.Slug}
	p.a.next++
	if err := p.putEntry(item, e, &now); err != nil {
		return err
	}
	if now.Slug != "" && (!before.Live || before.Slug != now.Slug) {
		p.key = p.State.Gen.EntrySlugAt(p.key, p.a.Number, now.Slug, p.release.Number)
		if err := p.out.Put(p.key, e[:], nil); err != nil {
			return err
		}
	}
	if p.index != nil {
		d := index.Document{Entry: e, Release: p.release.Number, Number: now.Document}
		if err := p.indexItem(&d, n, before.Live, item.Fields); err != nil {
			return err
		}
	}
	p.note(e, now)
	if before.Live {
		p.retire(item, before)
	} else {
		p.a.live++
		if err := p.putHead(e, true); err != nil {
			return err
		}
	}
	p.add(record.EntryRow(item.Collection, item.Entry, item.Revision, item.Slug))
	return nil
}

func (p *publication) indexItem(d *index.Document, n uint32, wasLive bool, fields []byte) error {
	if !wasLive {
		return p.index.Added(d, n, fields)
	}
	if err := p.readFormer(d.Entry); err != nil {
		return err
	}
	return p.index.Replaced(d, n, fields)
}

func (p *publication) putEntry(item *recordpb.Item, e layout.EntryID, now *layout.EntryState) error {
	g, c, n := p.State.Gen, p.a.Number, p.release.Number
	p.value = now.Append(p.value[:0])
	p.key = g.EntryAt(p.key, layout.TableEntry, c, e, n)
	if err := p.out.Put(p.key, p.value, nil); err != nil {
		return err
	}
	p.value = p.document(now, item).AppendHeader(p.value[:0])
	p.key = g.EntryAt(p.key, layout.TableDocument, c, e, n)
	if err := p.out.Put(p.key, p.value, item.Fields); err != nil {
		return err
	}
	if err := p.putCoded(item, e, now); err != nil {
		return err
	}
	p.value = binary.BigEndian.AppendUint64(append(p.value[:0], e[:]...), n)
	p.key = g.CollectionNumber(p.key, layout.TableDocumentNumber, c, now.Document)
	return p.out.Put(p.key, p.value, nil)
}

// putCoded writes large fields in every coding whose bodies are put together from them.
func (p *publication) putCoded(item *recordpb.Item, e layout.EntryID, now *layout.EntryState) (err error) {
	for _, coding := range read.Packed {
		if p.value, err = coding.Pack(append(p.value[:0], now.Revision[:]...), item.Fields); err != nil {
			return err
		}
		if len(p.value) == len(now.Revision) {
			continue
		}
		p.key = p.State.Gen.EntryAt(p.key, snapshot.CodedTable(coding), p.a.Number, e, p.release.Number)
		if err := p.out.Put(p.key, p.value, nil); err != nil {
			return err
		}
	}
	return nil
}

// document is what readers get of an item, but for its fields.
func (p *publication) document(now *layout.EntryState, item *recordpb.Item) *layout.Document {
	return &layout.Document{Revision: now.Revision, Published: p.release.PublishedMs, Version: item.SchemaVersion, Slug: []byte(item.Slug)}
}

func (p *publication) takeAway(item *recordpb.Item, e layout.EntryID, n uint32, before layout.EntryState) error {
	if p.index != nil {
		if err := p.readFormer(e); err != nil {
			return err
		}
		p.index.Removed(n)
	}
	for _, t := range []layout.Table{layout.TableEntry, layout.TableDocument} {
		p.key = p.State.Gen.EntryAt(p.key, t, p.a.Number, e, p.release.Number)
		if err := p.out.Put(p.key, nil, nil); err != nil {
			return err
		}
	}
	p.note(e, layout.EntryState{})
	p.retire(item, before)
	p.a.live--
	return p.putHead(e, false)
}

// note remembers what a load made of an entry, until that is stored.
func (p *publication) note(e layout.EntryID, now layout.EntryState) {
	if p.loading {
		p.fresh[freshKey{p.a.Number, e}] = now
	}
}

// readFormer gives the indexes the fields that a live entry had until now.
func (p *publication) readFormer(e layout.EntryID) error {
	p.key = p.State.Gen.EntryAt(p.key, layout.TableDocument, p.a.Number, e, layout.MaxRelease)
	if !p.it.SeekGE(p.key) || !bytes.HasPrefix(p.it.Key(), p.key[:layout.EntryPrefixLen]) {
		if err := p.it.Error(); err != nil {
			return err
		}
		return layout.Damaged("entry: it has no document")
	}
	former, live, err := layout.DocumentIn(p.it)
	if err == nil && !live {
		err = layout.Damaged("entry: its document is empty")
	}
	if err != nil {
		return err
	}
	return p.index.Former(former.Fields)
}

// retire counts a document out.
func (p *publication) retire(item *recordpb.Item, before layout.EntryState) {
	if p.removed == nil {
		p.removed = roaring.New()
	}
	p.removed.Add(before.Document)
	if !p.loading {
		p.sub(record.EntryRow(item.Collection, item.Entry, string(content.FromBytes[content.RevisionID](before.Revision)), before.Slug))
	}
}
