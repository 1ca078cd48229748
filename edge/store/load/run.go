package load

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/cockroachdb/pebble/v2/objstorage/objstorageprovider"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"

	"svc/edge/store/layout"
)

const (
	// DefaultSmallRun is up to which size a run is written as a batch: small projects are many, and a table of its own costs
	// each of them two waits for the disk.
	DefaultSmallRun = 1 << 20
	runChunk        = 256 << 10
)

// run collects rows of a load until they are many, and then hands them to Pebble as sorted tables, one for each table
// of the layout. So they are written once, without the log and the memtables, and since most of them come in order
// they mostly stay where they are put.
type run struct {
	to     *Database
	tables map[layout.Table][]runRow
	chunk  []byte
	size   int
	rows   int
}

type runRow struct {
	key, value []byte
	order      int // among equal keys the last one counts
	is         rowKind
}

// rowKind says what a row does to its key.
type rowKind byte

const (
	rowPut   rowKind = iota
	rowMerge         // it changes a set; such a key comes once in a run
	rowDrop
)

func newRun(to *Database) *run { return &run{to: to, tables: map[layout.Table][]runRow{}} }

func (r *run) Put(key, head, tail []byte) error {
	r.add(key, head, tail, rowPut)
	return nil
}

func (r *run) Merge(key, change []byte) error {
	r.add(key, change, nil, rowMerge)
	return nil
}

func (r *run) Drop(key []byte) error {
	r.add(key, nil, nil, rowDrop)
	return nil
}

func (r *run) add(key, head, tail []byte, is rowKind) {
	n := len(key) + len(head) + len(tail)
	if cap(r.chunk)-len(r.chunk) < n {
		r.chunk = make([]byte, 0, max(runChunk, n))
	}
	start := len(r.chunk)
	r.chunk = append(append(append(r.chunk, key...), head...), tail...)
	b := r.chunk[start:len(r.chunk):len(r.chunk)]
	t := layout.Table(key[8])
	r.tables[t] = append(r.tables[t], runRow{key: b[:len(key):len(key)], value: b[len(key):], order: r.rows, is: is})
	r.rows++
	r.size += n + 64
}

// holds reports whether rows of a table wait to be written.
func (r *run) holds(t layout.Table) bool { return len(r.tables[t]) > 0 }

func (row *runRow) write(to layout.Sink) error {
	switch row.is {
	case rowMerge:
		return to.Merge(row.key, row.value)
	case rowDrop:
		return to.Drop(row.key)
	}
	return to.Put(row.key, row.value, nil)
}

// flush writes what was collected.
func (r *run) flush(ctx context.Context) error {
	if r.rows == 0 {
		return nil
	}
	if err := r.to.Admit(r.size); err != nil {
		return err
	}
	write := r.ingest
	if r.size <= r.to.SmallRun {
		write = r.batch
	}
	if err := write(ctx); err != nil {
		return err
	}
	for t := range r.tables {
		clear(r.tables[t])
		r.tables[t] = r.tables[t][:0]
	}
	r.chunk, r.size, r.rows = nil, 0, 0
	return nil
}

func (r *run) batch(context.Context) error {
	batch := r.to.DB.NewBatchWithSize(r.size)
	err := r.each(func(_ layout.Table, rows []runRow) error {
		for i := range rows {
			if err := rows[i].write(layout.Batch{Batch: batch}); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		err = r.to.Commit(batch)
	}
	return layout.JoinClose(err, batch)
}

// each calls do with the rows of every table, sorted and each key once.
func (r *run) each(do func(t layout.Table, rows []runRow) error) error {
	for t, rows := range r.tables {
		slices.SortFunc(rows, func(a, b runRow) int {
			if c := bytes.Compare(a.key, b.key); c != 0 {
				return c
			}
			return a.order - b.order
		})
		n := 0
		for i := range rows {
			if i+1 == len(rows) || !bytes.Equal(rows[i].key, rows[i+1].key) {
				rows[n] = rows[i]
				n++
			}
		}
		if n > 0 {
			if err := do(t, rows[:n]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *run) ingest(ctx context.Context) error {
	var paths []string
	err := r.each(func(t layout.Table, rows []runRow) error {
		path := r.to.FS.PathJoin(r.to.Dir, fmt.Sprintf("%d-%02x.sst", r.to.files.Add(1), byte(t)))
		paths = append(paths, path)
		return r.to.writeTable(path, rows)
	})
	if err == nil {
		err = r.to.DB.Ingest(ctx, paths)
	}
	if err != nil {
		for _, path := range paths {
			_ = r.to.FS.Remove(path) // the next start clears the directory too
		}
	}
	return err
}

func (d *Database) writeTable(path string, rows []runRow) error {
	file, err := d.FS.Create(path, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	w := sstable.NewWriter(objstorageprovider.NewFileWritable(file), d.Tables)
	for i := range rows {
		if err := rows[i].write(table{w}); err != nil {
			return layout.JoinClose(err, w)
		}
	}
	return w.Close()
}

// table is a sorted table that takes rows.
type table struct{ *sstable.Writer }

func (t table) Put(key, value, _ []byte) error { return t.Set(key, value) }

func (t table) Drop(key []byte) error { return t.Delete(key) }
