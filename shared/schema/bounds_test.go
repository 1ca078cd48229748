package schema

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/fault"
	"svc/shared/testrand"
)

// many repeats a text, numbered, up to a size.
func many(format string, size int) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strings.ReplaceAll(format, "%x", strconv.FormatInt(int64(i), 16)))
	}
	return b.String()
}

// What a request can carry is read in bounded memory, whatever it is, and answered with a bounded list.
func TestSetsAreReadInBoundedMemory(t *testing.T) {
	size, most := 1<<20, uint64(96<<20)
	if testrand.Scale == 1 {
		size, most = size/4, most/4
	}
	collection := func(fields string) string { return `{"name":"a","fields":{` + fields + `}}` }
	for _, tt := range []struct{ name, set string }{
		{"a default of many values", collection(`"f":{"type":"json","default":[` + many("0", size) + `]}`)},
		{"a default of many objects", collection(`"f":{"type":"json","default":[` + many("{}", size) + `]}`)},
		{"a default of many members", collection(`"f":{"type":"json","default":{` + many(`"%x":0`, size) + `}}`)},
		{"unknown members", `{"name":"a","fields":{},` + many(`"%x":0`, size) + `}`},
		{"an unknown member of many values", `{"name":"a","fields":{},"x":[` + many("0", size) + `]}`},
		{"one member again and again", `{"name":"a","fields":{},` + many(`"":0`, size) + `}`},
		{"numbers out of bounds", collection(`"f":{"type":"json","default":[` + many("1e9999", size) + `]}`)},
		{"fields", collection(many(`"f%x":{}`, size))},
		{"members of an enum", collection(`"f":{"type":"text","enum":[` + many(`"%x"`, size) + `]}`)},
		{"members of an enum that are none", collection(`"f":{"type":"text","enum":[` + many(`0`, size) + `]}`)},
		{"families", collection(`"f":{"type":"asset","allowed":[` + many(`"a/%x"`, size) + `]}`)},
		{"terms", `{"name":"a","fields":{},"policy":[{"rule":"bannedTerms","terms":[` + many(`"%x"`, size) + `]}]}`},
		{"rules", `{"name":"a","fields":{},"policy":[` + many(`{}`, size) + `]}`},
		{"blocks", collection(`"f":{"type":"blocks","allowed":[` + many(`{}`, size) + `]}`)},
		{"collections that are none", many(`0`, size)},
		{"collections without anything", many(`{}`, size)},
		{"collections", many(`{"name":"c%x","fields":{}}`, size)},
		{"references to nothing", many(`{"name":"c%x","fields":{"f":{"type":"reference","to":"x"}}}`, size)},
		{"large patterns", many(`{"name":"c%x","fields":{"f":{"type":"text","pattern":"(abcdefghijklmnopq){1000}"}}}`, size)},
		{"patterns", many(`{"name":"c%x","fields":{"f":{"type":"text","pattern":"^[a-z0-9]+(-[a-z0-9]+)*$"}}}`, size)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var files []jsontext.Value
			dec := jsontext.NewDecoder(strings.NewReader("["+tt.set+"]"), jsontext.AllowDuplicateNames(true))
			if _, err := dec.ReadToken(); err != nil {
				t.Fatal(err)
			}
			for dec.PeekKind() != ']' {
				v, err := dec.ReadValue()
				if err != nil {
					t.Fatal(err)
				}
				files = append(files, v.Clone())
			}
			var err error
			used := peak(func() { _, err = ParseSet(files) })
			t.Logf("%d MiB", used>>20)
			if used > most {
				t.Errorf("%d MiB are taken for %d bytes", used>>20, len(tt.set))
			}
			if err == nil {
				return
			}
			answer := 0
			f := fault.As(err)
			for _, i := range f.Items {
				answer += len(i.Path) + len(i.Message)
			}
			if len(f.Items) > maxFaults || answer > 100_000 || len(f.Detail) > 1000 {
				t.Errorf("%d faults in %d bytes: %.200s", len(f.Items), answer, f.Detail)
			}
		})
	}
}

// peak is about how much memory work holds at one time, in bytes.
func peak(work func()) uint64 {
	defer debug.SetGCPercent(debug.SetGCPercent(20))
	heap := func() uint64 {
		sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}} // without what is garbage
		metrics.Read(sample)
		return sample[0].Value.Uint64()
	}
	runtime.GC()
	before, most, over := heap(), uint64(0), make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() {
		tick := time.NewTicker(2 * time.Millisecond)
		defer tick.Stop()
		for {
			most = max(most, heap())
			select {
			case <-over:
				return
			case <-tick.C:
			}
		}
	})
	work()
	close(over)
	watch.Wait()
	return most - min(most, before)
}
