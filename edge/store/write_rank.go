package store

import (
	"fmt"

	"svc/edge/store/layout"
	"svc/replication/record"
	"svc/replication/record/recordpb"
)

// rankChange moves entries in the editorial order of a collection. Of an entry named twice the last rank counts.
func (w *writer) rankChange(r *recordpb.Rank) error {
	a, err := w.account(r.Collection)
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

func (w *writer) moveEntry(a *account, to *recordpb.RankedEntry) error {
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
		w.key = w.led.Gen.Ranked(w.key, a.number, from, e)
		if err := w.out.Drop(w.key); err != nil {
			return err
		}
	}
	w.key = w.led.Gen.Entry(w.key, layout.TableRank, a.number, e)
	if to.Rank == "" {
		return w.out.Drop(w.key)
	}
	w.add(record.RankRow(a.Name, to.Entry, to.Rank))
	if err := w.out.Put(w.key, []byte(to.Rank), nil); err != nil {
		return err
	}
	w.key = w.led.Gen.Ranked(w.key, a.number, to.Rank, e)
	return w.out.Put(w.key, nil, nil)
}

func (w *writer) moveHead(a *account, e layout.EntryID, from, to string) error {
	n, err := w.entryNumber(a, e)
	if err != nil {
		return err
	}
	w.key = w.led.Gen.Head(w.key, a.number, from, e)
	if err := w.out.Drop(w.key); err != nil {
		return err
	}
	w.key = w.led.Gen.Head(w.key, a.number, to, e)
	return layout.PutEntryNumber(w.out, w.key, n)
}
