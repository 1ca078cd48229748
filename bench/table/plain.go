package table

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/go-json-experiment/json"
)

const (
	// warmEntries is how many documents are read again and again: neighbours, whose blocks fit the cache, which those of all do not.
	warmEntries = 20_000
	getRounds   = 5
)

// Get measures a Get of a document in a Pebble that is opened as a store opens its own, in a directory of its own: random keys, whose
// blocks are all in memory. It returns the median over some rounds of what one takes.
func Get(dir string, entries int, turn time.Duration) (took time.Duration, err error) {
	if err := os.RemoveAll(dir); err != nil {
		return 0, err
	}
	db, err := storeConfig(dir).OpenPlain()
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, db.Close(), os.RemoveAll(dir)) }()
	if err := fill(db, entries); err != nil {
		return 0, err
	}
	random := rand.New(rand.NewPCG(1, 1))
	warm := min(entries, warmEntries) // the first so many
	read := func(n int) error {
		value, closer, err := db.Get(plainKey(n))
		if err != nil {
			return fmt.Errorf("document %d: %w", n, err)
		}
		if len(value) == 0 {
			return fmt.Errorf("document %d is empty", n)
		}
		return closer.Close()
	}
	for n := range warm {
		if err := read(n); err != nil {
			return 0, err
		}
	}
	var rounds []time.Duration
	for range getRounds {
		gets, began := 0, time.Now()
		for time.Since(began) < turn {
			for range 100 { // so that the clock counts for nothing
				if err := read(random.IntN(warm)); err != nil {
					return 0, err
				}
			}
			gets += 100
		}
		rounds = append(rounds, time.Since(began)/time.Duration(gets))
	}
	return median(rounds), nil
}

func plainKey(n int) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }

// fill writes the documents and compacts them, as a loaded store is.
func fill(db *pebble.DB, entries int) error {
	batch := db.NewBatch()
	for n := range entries {
		fields, err := json.Marshal(At(n, 1))
		if err != nil {
			return err
		}
		if err := batch.Set(plainKey(n), fields, nil); err != nil {
			return err
		}
		if n%1_000 == 999 || n == entries-1 {
			if err := batch.Commit(pebble.NoSync); err != nil {
				return err
			}
			batch = db.NewBatch()
		}
	}
	if err := errors.Join(batch.Close(), db.Flush()); err != nil {
		return err
	}
	return db.Compact(context.Background(), plainKey(0), plainKey(entries), false)
}
