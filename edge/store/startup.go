package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"svc/edge/store/layout"
)

// clear removes what is not needed any more. The database is open, so no other process works in the directory.
func (s *Store) clear() error {
	if err := s.clearOtherLayouts(); err != nil {
		return err
	}
	if err := s.clearRuns(); err != nil {
		return err
	}
	return s.clearGenerations()
}

// clearOtherLayouts removes databases of other layout versions: they are copies too, and are not read any more.
func (s *Store) clearOtherLayouts() error {
	fs := s.cfg.fs
	names, err := fs.List(s.cfg.Dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if number, ok := strings.CutPrefix(name, "v"); ok && name != layout.Version && allDigits(number) {
			if err := fs.RemoveAll(fs.PathJoin(s.cfg.Dir, name)); err != nil {
				return fmt.Errorf("remove an old layout: %w", err)
			}
		}
	}
	return nil
}

func allDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// runName names the directory in which loads prepare their tables.
const runName = "load"

func (s *Store) runDir() string { return s.cfg.fs.PathJoin(s.cfg.Dir, runName) }

func (s *Store) clearRuns() error {
	if err := s.cfg.fs.RemoveAll(s.runDir()); err != nil {
		return err
	}
	return s.cfg.fs.MkdirAll(s.runDir(), 0o755)
}

// clearGenerations deletes generations that no log leads to: what loads wrote before the store stopped. It finds them
// by looking at the keys, one seek each, so nothing has to be written before a load begins.
func (s *Store) clearGenerations() error {
	it, err := s.db.NewIter(nil)
	if err != nil {
		return err
	}
	referenced := map[layout.Generation]bool{}
	batch := s.db.NewBatch()
	err = errors.Join(func() error {
		start := layout.Global.Start(nil, layout.TableLog)
		for ok := it.SeekGE(start); ok && strings.HasPrefix(string(it.Key()), string(start)); ok = it.Next() {
			value, err := it.ValueAndErr()
			if err != nil {
				return err
			}
			row, err := layout.ReadLogRow(value)
			if err != nil {
				return err
			}
			referenced[row.Gen] = true
			s.generations.Store(max(s.generations.Load(), uint64(row.Gen)))
		}
		for g := layout.Global + 1; ; g++ {
			lower, _ := g.Span()
			if !it.SeekGE(lower) {
				return it.Error()
			}
			if g = layout.Generation(binary.BigEndian.Uint64(it.Key())); !referenced[g] {
				if err := g.Drop(batch); err != nil {
					return err
				}
			}
			s.generations.Store(max(s.generations.Load(), uint64(g)))
		}
	}(), it.Close())
	if err == nil && !batch.Empty() {
		err = s.commit(batch)
	}
	return errors.Join(err, batch.Close())
}
