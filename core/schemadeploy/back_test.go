package schemadeploy_test

import (
	"strings"
	"testing"

	"svc/core/changeset"
	"svc/core/entry"
	"svc/core/entry/entrytest"
	"svc/core/schemadeploy"
	"svc/shared/fault"
)

// The entries of a removed collection keep its name from another shape until they are deleted under the earlier one,
// whatever had become of them; the messages say so.
func TestDeletedEntriesLeaveTheNameFree(t *testing.T) {
	t.Parallel()
	const (
		other = `{"name":"notes","fields":{"text":{"type":"number"}}}`
		alone = `{"name":"notes","kind":"singleton","fields":{"text":{"type":"number"}}}`
	)
	for _, shape := range []string{other, alone} {
		b := entrytest.New(t)
		mustDeploy(b, longNotes)
		published, changed := b.Published("notes", `{"text":"a"}`), b.Published("notes", `{"text":"b"}`)
		unpublished := b.Published("notes", `{"text":"c"}`)
		set := b.Set("unpublish")
		_, err := entry.Unpublish(t.Context(), b.Pool, b.Actor, b.ID, string(unpublished.ID), string(set.ID))
		b.OK(err)
		b.Publish(set)
		draft := b.Create(nil, "notes", `{"text":"d"}`).Entry
		closed := b.Set("closed")
		abandoned := b.Create(closed, "notes", `{"text":"e"}`).Entry
		_, err = changeset.Close(t.Context(), b.Pool, b.Actor, b.ID, string(closed.ID))
		b.OK(err)
		ready := b.Set("ready")
		b.Patch(ready, changed.ID, `{"text":"f"}`)
		mustDeploy(b)

		out, err := schemadeploy.Diff(t.Context(), b.Pool, b.Actor, b.ID, entrytest.Proposal(shape).Collections)
		b.OK(err)
		if got := out.Plan.Operations[0].Message; !strings.Contains(got, "comes back") || !strings.Contains(got, "push version 1 again") {
			t.Errorf("the plan says %q", got)
		}
		_, err = deploy(b, shape)
		f := b.Refused(err, fault.ValidationFailed)
		if !strings.Contains(f.Detail, "does not fit") {
			t.Errorf("the refusal says %q", f.Detail)
		}
		for _, i := range f.Items {
			if !strings.Contains(i.Message, "of the earlier collection of this name, which was removed at version 1") {
				t.Errorf("%s says %q", i.ResourceID, i.Message)
			}
		}

		mustDeploy(b, longNotes)
		away := b.Set("away")
		for _, e := range []*entry.Entry{published, changed, unpublished, draft, abandoned} {
			_, err := entry.Delete(t.Context(), b.Pool, b.Actor, b.ID, string(e.ID), string(away.ID))
			b.OK(err)
		}
		_, err = deploy(b, shape)
		b.Refused(err, fault.ValidationFailed) // it is not published
		b.Publish(away)
		mustDeploy(b, shape)
		b.Publish(b.Create(nil, "notes", `{"text":1}`).ChangeSet)
	}
}

// A collection that comes back as it was takes its entries along, and nothing has to be done about them.
func TestTheSameCollectionComesBackWithItsEntries(t *testing.T) {
	t.Parallel()
	b := entrytest.New(t)
	mustDeploy(b, longNotes)
	e := b.Published("notes", `{"text":"a"}`)
	mustDeploy(b)
	out := mustDeploy(b, longNotes)
	if got := out.Plan.Operations[0].Message; !strings.Contains(got, "comes back as it was") || strings.Contains(got, "delete") {
		t.Errorf("the plan says %q", got)
	}
	b.Get(e.ID)
}

// What an earlier field of the same name left in an entry is not to be seen anywhere, so the message says what it is; an
// edit drops it, as the message says too.
func TestWhatAnEarlierFieldLeftIsToldApart(t *testing.T) {
	t.Parallel()
	const (
		before = `{"name":"notes","fields":{"text":{"type":"text"},"size":{"type":"text"}}}`
		after  = `{"name":"notes","fields":{"text":{"type":"text"},"size":{"type":"number"}}}`
	)
	b := entrytest.New(t)
	mustDeploy(b, before)
	e := b.Published("notes", `{"text":"a","size":"large"}`)
	message := func(want string) {
		t.Helper()
		_, err := deploy(b, after)
		if f := b.Refused(err, fault.ValidationFailed); len(f.Items) != 1 || f.Items[0].Path != "fields.size" || !strings.HasPrefix(f.Items[0].Message, want) {
			t.Fatalf("%+v, want %q", f.Items, want)
		}
	}
	message("must be a number, not a string (")
	mustDeploy(b, longNotes)
	message("must be a number, not a string; the value is one of an earlier field of this name, which was removed: an edit of the entry drops it, even one without changes")
	b.Publish(b.Patch(nil, e.ID, `{}`).ChangeSet)
	mustDeploy(b, after)
}

// A field that is required and new is missing from entries because it is new.
func TestARequiredFieldThatIsNewIsJustMissing(t *testing.T) {
	t.Parallel()
	b := entrytest.New(t)
	mustDeploy(b, longNotes)
	b.Published("notes", `{"text":"a"}`)
	_, err := deploy(b, `{"name":"notes","fields":{"text":{"type":"text"},"size":{"type":"number","required":true}}}`)
	if f := b.Refused(err, fault.ValidationFailed); !strings.HasPrefix(f.Items[0].Message, "is required (") {
		t.Fatalf("%+v", f.Items)
	}
}

// Values by locale do not fit a field without locales, whatever its type; the message says what they are.
func TestValuesByLocaleAreToldApart(t *testing.T) {
	t.Parallel()
	for _, field := range []string{`"text"`, `"json"`, `"list","of":{"type":"text"}`} {
		b := entrytest.New(t)
		b.OK(setLocales(b, "en", "de"))
		mustDeploy(b, `{"name":"notes","fields":{"f":{"type":`+field+`,"localized":true}}}`)
		value := `"x"`
		if strings.Contains(field, "list") {
			value = `["x"]`
		}
		e := b.Published("notes", `{"f":{"en":`+value+`}}`)
		plain := `{"name":"notes","fields":{"f":{"type":` + field + `}}}`
		_, err := deploy(b, plain)
		f := b.Refused(err, fault.ValidationFailed)
		if len(f.Items) != 1 || !strings.HasPrefix(f.Items[0].Message, "holds one value for each locale; clear it first") {
			t.Fatalf("%s: %+v", field, f.Items)
		}
		b.Publish(b.Patch(nil, e.ID, `{"f":null}`).ChangeSet)
		mustDeploy(b, plain)
	}
}
