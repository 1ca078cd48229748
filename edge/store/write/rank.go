package write

import (
	"fmt"

	"svc/edge/store/layout"
	"svc/replication/record"
	"svc/replication/record/recordpb"
)

// rankChange moves entries in the editorial order of a collection. Of an entry named twice the last rank counts.
func (w *Writer) rankChange(r *recordpb.Rank) error {
	a, err := w.collection(r.Collection)
	if err != nil {
		return err
	}
	last := make(map[string]int, len(r.Entries))
	for i, entry := range r.Entries {
		last[entry.Entry] = i
	}
	for i, entry := range r.Entries {
		if last[entry.Entry] != i {
			continue
		}
		if err := w.moveEntry(a, entry); err != nil {
			return fmt.Errorf("rank in %s, entry %s: %w", a.Name, entry.Entry, err)
		}
	}
	for _, entry := range r.Entries {
		a.ranked = a.ranked || entry.Rank != ""
	}
	return nil
}

func (w *Writer) moveEntry(a *Collection, to *recordpb.RankedEntry) error {
	e, err := parseEntry(to.Entry)
	if err != nil {
		return err
	}
	from, err := w.rank(a, e)
	if err != nil || from == to.Rank {
		return err
	}
	if !w.loading {
		now, _, err := w.current(a, e)
		if err != nil {
			return err
		}
		if now.Live {
			if err := w.moveHead(a, e, from, to.Rank); err != nil {
				return err
			}
		}
	}
	if from != "" {
		w.sub(record.RankRow(a.Name, to.Entry, from))
		w.key = w.State.Gen.Ranked(w.key, a.Number, from, e)
		if err := w.out.Drop(w.key); err != nil {
			return err
		}
	}
	w.key = w.State.Gen.Entry(w.key, layout.TableRank, a.Number, e)
	if to.Rank == "" {
		return w.out.Drop(w.key)
	}
	w.add(record.RankRow(a.Name, to.Entry, to.Rank))
	if err := w.out.Put(w.key, []byte(to.Rank), nil); err != nil {
		return err
	}
	w.key = w.State.Gen.Ranked(w.key, a.Number, to.Rank, e)
	return w.out.Put(w.key, nil, nil)
}

func (w *Writer) moveHead(a *Collection, e layout.EntryID, from, to string) error {
	w.key = w.State.Gen.Head(w.key, a.Number, from, e)
	if err := w.out.Drop(w.key); err != nil {
		return err
	}
	w.key = w.State.Gen.Head(w.key, a.Number, to, e)
	return w.out.Put(w.key, nil, nil)
}
