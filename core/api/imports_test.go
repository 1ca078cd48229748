package api_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"svc/core/api"
	"svc/shared/fault"
	"svc/shared/testrand"
)

const (
	imports = "/v1/projects/site/collections/posts/import"
	ndjson  = "content-type: application/x-ndjson"
)

func lines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "{\"slug\":\"post-%d\",\"data\":{\"title\":\"Post %d\",\"rating\":%d.0}}\n", i, i, i)
	}
	return b.String()
}

// TestImportTakesTenThousandRows as lines and not one more, and publishes them as one release, which can be read as a whole.
func TestImportTakesTenThousandRows(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	rows := min(2_000*testrand.Scale, 10_000)
	n, all := fmt.Sprint(rows), lines(rows)
	a := b.call(b.owner, "POST", imports, all, ndjson).is(200)
	if a.at("data.created") != n || a.at("data.unchanged") != "0" || a.at("data.entries.0.slug") != "post-0" {
		t.Fatalf("%.200s", a.body)
	}
	set := a.at("data.changeSetId")
	if again := b.call(b.owner, "POST", imports, all, ndjson).is(200); again.at("data.unchanged") != n || again.at("data.changeSetId") != "null" {
		t.Fatalf("%.200s", again.body)
	}
	if v := b.call(b.owner, "POST", sets+"/"+set+"/validate", "").is(200); string(v.body) != `{"valid":true,"errors":[],"warnings":[]}` {
		t.Fatalf("%.200s", v.body)
	}
	b.call(b.owner, "POST", sets+"/"+set+"/publish", `{"confirm":true}`).is(200)
	release := b.call(b.owner, "GET", "/v1/projects/site/releases/1", "").is(200)
	if shown := strings.Count(string(release.body), `"entryId"`); shown != rows || release.at("data.itemCount") != n {
		t.Errorf("the release shows %d items", shown)
	}
	b.call(b.owner, "POST", imports, lines(10_001), ndjson).refused(fault.PayloadTooLarge)
}

// TestImportNamesTheLine: faults of a streamed import are about entries[i], and lines that follow are not needed to
// find the first.
func TestImportNamesTheLine(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	for _, c := range []struct{ name, line, path string }{
		{"not JSON", `{"data":`, "entries[3].data"},
		{"not an object", `7`, "entries[3]"},
		{"invalid UTF-8", "{\"data\":{\"title\":\"\xff\"}}", "entries[3].data.title"},
		{"a member twice", `{"data":{"title":"a","title":"b"}}`, "entries[3].data.title"},
		{"NUL", `{"data":{"title":"\u0000"}}`, "entries[3].data.title"},
		{"too deep", `{"data":{"extra":` + strings.Repeat("[", 65) + strings.Repeat("]", 65) + `}}`, ""},
		{"an unknown member", `{"fields":{}}`, "entries[3].fields"},
		{"an unknown field", `{"data":{"title":"t","nope":1}}`, "entries[3].fields.nope"},
		{"a bad id", `{"id":"x","data":{}}`, "entries[3].id"},
		{"an entry that is not there", `{"id":"ent_00000000000000000000000000","data":{}}`, "entries[3].id"},
		{"a bad slug", `{"slug":"A B","data":{"title":"t"}}`, "entries[3].slug"},
		{"a slug twice", `{"slug":"post-1","data":{"title":"t"}}`, "entries[3].slug"},
		{"a missing field", `{"slug":"fine","data":{}}`, "entries[3].fields.title"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := b.in(t)
			body := "\n" + lines(3) + "\n \n" + c.line + "\n"
			a := b.call(b.owner, "POST", imports, body, ndjson).refused(fault.ValidationFailed)
			if got := a.at("errors.0.path"); c.path != "" && got != c.path || !strings.HasPrefix(got, "entries[3]") {
				t.Errorf("%s", a.body)
			}
			if b.count("entry") != 0 || b.count("change_set") != 0 {
				t.Error("something was kept")
			}
		})
	}
}

// TestImportReadsLinesAsTheyCome: a fault in the first line is answered while the rest is still being sent.
func TestImportReadsLinesAsTheyCome(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	reader, writer := io.Pipe()
	answered := b.later(b.owner, "POST", imports, reader, ndjson)
	_, err := io.WriteString(writer, "nonsense\n")
	b.ok(err)
	(<-answered).refused(fault.ValidationFailed, "entries[0]")
	b.ok(writer.Close())
}

// TestStreamedImportsTakeTurns: a key may have four at a time, and not one more.
func TestStreamedImportsTakeTurns(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	var writers []*io.PipeWriter
	var answers []<-chan answer
	for range 4 {
		reader, writer := io.Pipe()
		answers = append(answers, b.later(b.owner, "POST", imports, reader, ndjson))
		_, err := io.WriteString(writer, lines(1)) // it is being read, so it has its turn
		b.ok(err)
		writers = append(writers, writer)
	}
	eventually(t, "four imports", func() bool { return api.Importing(b.api) == 4 })
	refused := b.call(b.owner, "POST", imports, lines(1), ndjson).refused(fault.RateLimited)
	if refused.header.Get("Retry-After") == "" {
		t.Error("a 429 says when to try again")
	}
	b.isDocumented(refused, fault.RateLimited)
	b.call(b.key(`{"label":"other",`+everyScope+`}`), "POST", imports, lines(1), ndjson).is(200)
	for _, w := range writers {
		b.ok(w.Close())
	}
	for _, answered := range answers {
		(<-answered).is(200)
	}
	b.call(b.owner, "POST", imports, lines(1), ndjson).is(200)
}
