package layout_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/objstorage/objstorageprovider"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"

	"svc/edge/store/layout"
)

// The tables of generations that follow each other are deleted, although all were dropped before Pebble wrote any deletion to disk, and
// although the deletions are too small for Pebble to compact them.
func TestDroppedGenerationsLeaveNoTables(t *testing.T) {
	t.Parallel()
	fs := vfs.NewMem()
	db, err := pebble.Open("db", &pebble.Options{FS: fs, FormatMajorVersion: pebble.FormatTableFormatV6, L0CompactionThreshold: 4})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	const generations = 6
	for g := layout.Generation(1); g <= generations; g++ {
		path := fmt.Sprintf("%d.sst", g)
		file, err := fs.Create(path, vfs.WriteCategoryUnspecified)
		if err != nil {
			t.Fatal(err)
		}
		w := sstable.NewWriter(objstorageprovider.NewFileWritable(file), sstable.WriterOptions{TableFormat: sstable.TableFormatPebblev6})
		if err := w.Set(g.Start(nil, layout.TableDocument), nil); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if err := db.Ingest(t.Context(), []string{path}); err != nil {
			t.Fatal(err)
		}
		if g == 1 {
			continue
		}
		batch := db.NewBatch()
		if err := (g - 1).Drop(batch); err != nil {
			t.Fatal(err)
		}
		if err := batch.Commit(pebble.NoSync); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Flush(); err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(2 * time.Minute)
	for db.Metrics().Levels[6].TablesCount > 1 {
		if time.Now().After(deadline) {
			t.Fatalf("tables of dropped generations are left\n%s", db.Metrics())
		}
		time.Sleep(10 * time.Millisecond)
	}
}
