package bitmap

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"pgregory.net/rapid"

	"svc/shared/testrand"
)

// silent keeps Pebble from logging what a test provokes.
type silent struct{}

func (silent) Infof(string, ...any)           {}
func (silent) Errorf(string, ...any)          {}
func (silent) Fatalf(format string, a ...any) { panic(fmt.Sprintf(format, a...)) }

// drawBlock draws a set of any form.
func drawBlock(t *rapid.T, label string) *Block {
	b := &Block{}
	switch rapid.IntRange(0, 3).Draw(t, label+" form") {
	case 0:
		for _, n := range rapid.SliceOfN(rapid.Uint16Range(0, 200), 0, 6).Draw(t, label) {
			b.add(n)
		}
	case 1:
		first := rapid.Uint16().Draw(t, label+" from")
		b.addRange(first, max(first, rapid.Uint16().Draw(t, label+" to")))
	case 2:
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, label+" seed"), 0))
		for i := range b {
			b[i] = rng.Uint64()
		}
	}
	return b
}

func drawOperand(t *rapid.T, label string) []byte {
	came := drawBlock(t, label+" came")
	if rapid.Bool().Draw(t, label+" adds only") {
		return came.append(nil)
	}
	return appendChange(nil, came, drawBlock(t, label+" went"))
}

func TestSetsComeBackAsTheyWereStored(t *testing.T) {
	t.Parallel()
	testrand.Check(t, func(t *rapid.T) {
		b := drawBlock(t, "set")
		stored := b.append(nil)
		var back Block
		if err := back.AddStored(stored); err != nil || back != *b {
			t.Fatalf("%x came back otherwise: %v", stored, err)
		}
		n, runs := b.measure()
		if n != b.Count() || len(stored) > 1+min(2*n, 4*runs, 8*blockWords) {
			t.Fatalf("%d numbers in %d runs take %d bytes", n, runs, len(stored))
		}
	})
}

// fold merges operands, the oldest first, as whole or as a part of a history.
func foldOperands(t *rapid.T, operands [][]byte, newest bool, base bool) []byte {
	m := NewMerger()
	at := 0
	if newest {
		at = len(operands) - 1
	}
	v, err := m.Merge(nil, operands[at])
	if err != nil {
		t.Fatal(err)
	}
	if newest {
		for i := len(operands) - 2; i >= 0 && err == nil; i-- {
			err = v.MergeOlder(operands[i])
		}
	} else {
		for _, operand := range operands[1:] {
			if err == nil {
				err = v.MergeNewer(operand)
			}
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	value, closer, err := v.Finish(base)
	if err != nil {
		t.Fatal(err)
	}
	value = bytes.Clone(value)
	if err := closer.Close(); err != nil {
		t.Fatal(err)
	}
	return value
}

// However operands are put together, in whichever parts and direction, the result is that of a plain map.
func TestMergesAreAssociative(t *testing.T) {
	t.Parallel()
	testrand.Check(t, func(t *rapid.T) {
		var operands [][]byte
		want := map[uint16]bool{}
		for range rapid.IntRange(1, 6).Draw(t, "operands") {
			operand := drawOperand(t, "operand")
			operands = append(operands, operand)
			came, went, err := splitOperand(operand)
			if err != nil {
				t.Fatal(err)
			}
			var in, out Block
			if in.AddStored(came) != nil || went != nil && out.AddStored(went) != nil {
				t.Fatal("an operand cannot be read")
			}
			for n, ok := out.Next(0); ok; n, ok = out.Next(n + 1) {
				delete(want, uint16(n))
			}
			for n, ok := in.Next(0); ok; n, ok = in.Next(n + 1) {
				want[uint16(n)] = true
			}
		}
		for len(operands) > 1 {
			from := rapid.IntRange(0, len(operands)-1).Draw(t, "from")
			to := rapid.IntRange(from+1, len(operands)).Draw(t, "to")
			part := foldOperands(t, operands[from:to], rapid.Bool().Draw(t, "newest first"), from == 0 && rapid.Bool().Draw(t, "base"))
			operands = slices.Replace(operands, from, to, part)
			if from == 0 && to == len(operands) {
				break
			}
		}
		var got Block
		if err := got.AddStored(foldOperands(t, operands, true, true)); err != nil {
			t.Fatal(err)
		}
		if got.Count() != len(want) {
			t.Fatalf("%d numbers, want %d", got.Count(), len(want))
		}
		for n := range maps.Keys(want) {
			if !got.has(n) {
				t.Fatalf("%d is missing", n)
			}
		}
	})
}

// A database folds sets while they are flushed, compacted, lost in crashes and read at older moments.
func TestDatabasesFoldSets(t *testing.T) {
	t.Parallel()
	testrand.Check(t, func(t *rapid.T) {
		fs := vfs.NewCrashableMem()
		open := func(fs *vfs.MemFS) *pebble.DB {
			db, err := pebble.Open("db", &pebble.Options{FS: fs, Merger: NewMerger(), Logger: silent{}, DisableAutomaticCompactions: true})
			if err != nil {
				t.Fatal(err)
			}
			return db
		}
		db := open(fs)
		keys := []string{"a", "b", "c"}
		now := map[string]map[uint16]bool{"a": {}, "b": {}, "c": {}}
		check := func(src pebble.Reader, want map[string]map[uint16]bool) {
			it, err := src.NewIter(nil)
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]Block{}
			for ok := it.First(); ok; ok = it.Next() {
				var b Block
				if err := b.AddStored(it.Value()); err != nil {
					t.Fatal(err)
				}
				got[string(it.Key())] = b
			}
			if err := it.Close(); err != nil {
				t.Fatal(err)
			}
			for _, key := range keys {
				b, found := got[key]
				if found != (len(want[key]) > 0) || b.Count() != len(want[key]) {
					t.Fatalf("%s holds %d numbers (%v), want %d", key, b.Count(), found, len(want[key]))
				}
				for n := range want[key] {
					if !b.has(n) {
						t.Fatalf("%s lacks %d", key, n)
					}
				}
			}
		}
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			key := rapid.SampledFrom(keys).Draw(t, "key")
			n := rapid.Uint16Range(0, 5).Draw(t, "number")
			var came, went Block
			var err error
			switch rapid.IntRange(0, 8).Draw(t, "step") {
			case 0, 1, 2:
				now[key][n] = true
				err = db.Merge([]byte(key), appendNumber(nil, n), pebble.Sync)
			case 3, 4: // whoever takes the last number out deletes the row
				delete(now[key], n)
				went.add(n)
				if err = db.Merge([]byte(key), appendChange(nil, &came, &went), pebble.Sync); err == nil && len(now[key]) == 0 {
					err = db.Delete([]byte(key), pebble.Sync)
				}
			case 5:
				for n := range now[key] {
					came.add(n)
				}
				if len(now[key]) > 0 {
					err = db.Set([]byte(key), came.append(nil), pebble.Sync)
				}
			case 6:
				err = db.Flush()
			case 7:
				err = db.Compact(t.Context(), []byte("a"), []byte("d"), false)
			case 8:
				copied := fs.CrashClone(vfs.CrashCloneCfg{})
				if err := db.Close(); err != nil {
					t.Fatal(err)
				}
				fs = copied
				db = open(fs)
			}
			if err != nil {
				t.Fatal(err)
			}
			check(db, now)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// A set that cannot be read is an error of whoever reads it.
func TestDamagedSetsAreErrors(t *testing.T) {
	t.Parallel()
	for _, operand := range [][]byte{
		{}, {9}, {formList, 1}, {formList, 0, 2, 0, 1}, {formList, 0, 1, 0, 1}, {formRuns, 0, 1}, {formRuns, 0, 2, 0, 1}, {formRuns, 0, 1, 0, 3, 0, 3, 0, 4},
		{formWords, 0}, {formChange}, {formChange, 5, 0}, {formChange, 1, formList, 7}, {formChange, 0, formList},
	} {
		db, err := pebble.Open("db", &pebble.Options{FS: vfs.NewMem(), Merger: NewMerger(), Logger: silent{}})
		if err != nil {
			t.Fatal(err)
		}
		for _, value := range [][]byte{appendNumber(nil, 1), operand, appendNumber(nil, 2)} {
			if err := db.Merge([]byte("a"), value, nil); err != nil {
				t.Fatal(err)
			}
		}
		if value, closer, err := db.Get([]byte("a")); err == nil {
			t.Errorf("%x was read as %x", operand, value)
			_ = closer.Close()
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
}

func FuzzMergeOperands(f *testing.F) {
	var b Block
	b.addRange(3, 9)
	for i := uint16(0); i < 60000; i += 3 {
		b.add(i)
	}
	f.Add(appendNumber(nil, 1), b.append(nil), appendChange(nil, &b, &Block{}))
	f.Add([]byte{formRuns, 0, 1, 0, 3}, []byte{formChange, 1, formList, formRuns, 0, 0, 0xff, 0xff}, []byte{})
	f.Fuzz(func(t *testing.T, x, y, z []byte) {
		for _, base := range []bool{true, false} {
			m, err := NewMerger().Merge(nil, y)
			if err == nil {
				err = m.MergeNewer(z)
			}
			if err == nil {
				err = m.MergeOlder(x)
			}
			if err != nil {
				continue
			}
			value, closer, err := m.Finish(base)
			if err != nil {
				continue
			}
			came, went, err := splitOperand(value)
			if err != nil || base && went != nil {
				t.Fatalf("%x, %x, %x make %x: %v", x, y, z, value, err)
			}
			var in, out Block
			if in.AddStored(came) != nil || went != nil && out.AddStored(went) != nil {
				t.Fatalf("%x, %x, %x make %x, which cannot be read", x, y, z, value)
			}
			_ = closer.Close()
		}
	})
}
