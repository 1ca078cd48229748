package stream

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"svc/deploy/local/localtest"
	"svc/replication/record"
)

func TestAppendIsConditionalOnTheLastMessage(t *testing.T) {
	c := open(t, localtest.NATS(t))
	ctx := t.Context()
	if m, found, err := c.Last(ctx, "prj_a"); found || err != nil {
		t.Fatalf("%v, %v", m, err)
	}
	first, err := c.Append(ctx, "prj_a", at(1), record.Stamp{}, []byte("one"), 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Append(ctx, "prj_b", at(1), record.Stamp{}, []byte("one"), 0); err != nil {
		t.Fatal(err)
	}
	for _, expected := range []uint64{0, first + 1, 99} {
		if _, err := c.Append(ctx, "prj_a", at(2), record.Stamp{}, []byte("two"), expected); !errors.Is(err, ErrWrongSequence) {
			t.Errorf("after %d: %v", expected, err)
		}
	}
	second, err := c.Append(ctx, "prj_a", at(2), record.Stamp{}, []byte("two"), first)
	if err != nil {
		t.Fatal(err)
	}
	m, found, err := c.Last(ctx, "prj_a")
	if err != nil || !found || m.Seq != second || string(m.Envelope) != "two" || m.Position != at(2) || m.Log != "prj_a" {
		t.Fatalf("%+v, %v", m, err)
	}
	// A purge takes the condition back to none, and nothing is dropped as a duplicate.
	if err := purge(c, "prj_a"); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Append(ctx, "prj_a", at(2), record.Stamp{}, []byte("two"), 0); err != nil {
		t.Fatal(err)
	}
	if m, _, err := c.Last(ctx, "prj_a"); err != nil || string(m.Envelope) != "two" {
		t.Fatalf("%+v, %v", m, err)
	}
}

func TestLastsGivesTheHeadOfEveryLog(t *testing.T) {
	c := open(t, localtest.NATS(t))
	lasts := func() map[string]record.Position {
		got := map[string]record.Position{}
		if err := c.Lasts(t.Context(), func(m Message) error {
			if m.Position.Seq == 0 || len(m.Envelope) > 0 {
				t.Errorf("%+v", m)
			}
			got[m.Log] = m.Position
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		return got
	}
	if got := lasts(); len(got) != 0 {
		t.Fatal(got)
	}
	for i := range 1200 {
		fill(t, c, fmt.Sprintf("prj_%04d", i), 1+i%3)
	}
	got := lasts()
	for i := range 1200 {
		if p := got[fmt.Sprintf("prj_%04d", i)]; p != at(uint64(1+i%3)) {
			t.Fatalf("log %d stands at %s", i, p)
		}
	}
	if len(got) != 1200 {
		t.Fatal(len(got))
	}
}

func TestMessagesCarryNoID(t *testing.T) {
	url := localtest.NATS(t)
	c := open(t, url)
	nc, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	sub, err := nc.SubscribeSync(logSubjects + "*")
	if err != nil {
		t.Fatal(err)
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	fill(t, c, "prj_a", 1)
	m, err := sub.NextMsg(patience)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for name := range m.Header {
		names = append(names, name)
	}
	slices.Sort(names)
	want := []string{jetstream.ExpectedLastSubjSeqHeader, jetstream.ExpectedStreamHeader, positionHeader}
	slices.Sort(want)
	if !slices.Equal(names, want) {
		t.Fatalf("headers %v, want %v", names, want)
	}
}
