package schemadeploy_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"svc/core/entry"
	"svc/core/entry/entrytest"
	"svc/core/schemadeploy"
	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/schema"
)

// What a push makes a reference is held to what a write is held to, and in what readers have to what a publish is.
func TestNewReferencesMustLeadSomewhere(t *testing.T) {
	t.Parallel()
	bed := entrytest.New(t)
	const unknown = content.EntryID("ent_01h455vb4pex5vsknk084sn02q")
	var (
		people = `{"name":"people","fields":{"name":{"type":"text"}}}`
		others = `{"name":"others","fields":{}}`
		notes  = func(field string) string {
			return `{"name":"notes","fields":{"text":{"type":"text"},"r":` + field + `}}`
		}
		plain = func(id content.EntryID) string { return fmt.Sprintf(`%q`, id) }
		array = func(id content.EntryID) string { return fmt.Sprintf(`[%q]`, id) }
		tree  = func(id content.EntryID) string {
			return fmt.Sprintf(`{"type":"doc","content":[{"type":"mention","attrs":{"entry":%q}}]}`, id)
		}
		absent   = func(*entrytest.Bed) content.EntryID { return unknown }
		draft    = func(b *entrytest.Bed) content.EntryID { return b.Create(nil, "people", `{}`).Entry.ID }
		readable = func(b *entrytest.Bed) content.EntryID { return b.Published("people", `{}`).ID }
		foreign  = func(b *entrytest.Bed) content.EntryID { return b.Published("others", `{}`).ID }
		deleted  = func(b *entrytest.Bed) content.EntryID {
			e, set := b.Published("people", `{}`), b.Set("delete")
			_, err := entry.Delete(b.Context(), b.Pool, b.Actor, b.ID, string(e.ID), string(set.ID))
			b.OK(err)
			b.Publish(set)
			return e.ID
		}
	)
	for _, form := range []struct {
		name, from, to string
		value          func(content.EntryID) string
		at             string
	}{
		{"text", `{"type":"text"}`, `{"type":"reference","to":"people"}`, plain, ""},
		{"a list of text", `{"type":"list","of":{"type":"text"}}`, `{"type":"list","of":{"type":"reference","to":"people"}}`, array, "[0]"},
		{"json", `{"type":"json"}`, `{"type":"richText"}`, tree, ".content[0].attrs.entry"},
	} {
		for _, test := range []struct {
			name      string
			target    func(*entrytest.Bed) content.EntryID
			published bool
			want      string // the code; empty: it fits
		}{
			{"an unknown one", absent, false, "reference"},
			{"an unknown one, published", absent, true, "reference"},
			{"somebody deleted", deleted, false, "reference"},
			{"a draft, in a draft", draft, false, ""},
			{"a draft, published", draft, true, "reference_unpublished"},
			{"somebody published", readable, true, ""},
			{"an entry of another collection", foreign, true, "reference"},
		} {
			if form.name == "json" && test.name == "an entry of another collection" {
				test.want = "" // richText may mention any
			}
			t.Run(form.name+" of "+test.name, func(t *testing.T) {
				b := bed.Fresh(t)
				mustDeploy(b, notes(form.from), people, others)
				e := b.Create(nil, "notes", `{"r":`+form.value(test.target(b))+`}`)
				if test.published {
					b.Publish(e.ChangeSet)
				}
				_, err := deploy(b, notes(form.to), people, others)
				if test.want == "" {
					b.OK(err)
					b.Publish(b.Patch(nil, b.Published("notes", `{}`).ID, `{"text":"x"}`).ChangeSet)
					return
				}
				want := fmt.Sprintf("%s fields.r%s %s; ", e.Entry.ID, form.at, test.want)
				if f := b.Refused(err, fault.ValidationFailed); entrytest.Codes(f) != want {
					t.Errorf("%s, want %s", entrytest.Codes(f), want)
				}
			})
		}
	}
}

const (
	referring = `{"name":"notes","fields":{"text":{"type":"text"},"r":{"type":"reference","to":"people"}}}`
	someone   = `{"name":"people","fields":{}}`
)

// A field that comes back finds what no one looked at while it was away.
func TestWhatAReturningFieldFindsIsHeldToWhatPublishingDemands(t *testing.T) {
	t.Parallel()
	b := entrytest.New(t)
	mustDeploy(b, referring, someone)
	draft := b.Create(nil, "people", `{}`)
	e := b.Create(nil, "notes", fmt.Sprintf(`{"r":%q}`, draft.Entry.ID))
	mustDeploy(b, longNotes, someone)
	b.Publish(e.ChangeSet)
	_, err := deploy(b, referring, someone)
	f := b.Refused(err, fault.ValidationFailed)
	if entrytest.Codes(f) != string(e.Entry.ID)+" fields.r reference_unpublished; " || !strings.Contains(f.Items[0].Message, "of an earlier field of this name") {
		t.Fatalf("%+v", f.Items)
	}
	b.Publish(draft.ChangeSet)
	mustDeploy(b, referring, someone)
}

// References that were accepted are no matter of schemas, whatever has become of what they lead to.
func TestAcceptedReferencesKeepNoPushFromBeingMade(t *testing.T) {
	t.Parallel()
	b := entrytest.New(t)
	mustDeploy(b, referring, someone)
	person := b.Published("people", `{}`)
	b.Published("notes", fmt.Sprintf(`{"r":%q}`, person.ID))
	set := b.Set("unpublish")
	_, err := entry.Unpublish(t.Context(), b.Pool, b.Actor, b.ID, string(person.ID), string(set.ID))
	b.OK(err)
	b.Publish(set)
	mustDeploy(b, strings.Replace(referring, `"type":"text"`, `"type":"text","maxLength":9`, 1), someone)
}

// The collections of the push count, not those before it.
func TestNewReferencesMayLeadToWhatComesBackAndNotToWhatGoes(t *testing.T) {
	t.Parallel()
	b := entrytest.New(t)
	mustDeploy(b, strings.Replace(referring, `{"type":"reference","to":"people"}`, `{"type":"json"}`, 1), someone)
	person := b.Published("people", `{}`)
	tree := fmt.Sprintf(`{"type":"doc","content":[{"type":"mention","attrs":{"entry":%q}}]}`, person.ID)
	b.Published("notes", `{"r":`+tree+`}`)
	free := strings.Replace(referring, `{"type":"reference","to":"people"}`, `{"type":"richText"}`, 1)
	_, err := deploy(b, free)
	if f := b.Refused(err, fault.ValidationFailed); f.Items[0].Code != "reference" {
		t.Fatal(entrytest.Codes(f))
	}
	mustDeploy(b, strings.Replace(referring, `{"type":"reference","to":"people"}`, `{"type":"json"}`, 1))
	mustDeploy(b, free, someone)
}

// Whether a new reference leads somewhere is looked at again under the lock: its target may have gone meanwhile.
func TestNewReferencesAreReadAgain(t *testing.T) {
	t.Parallel()
	b := entrytest.New(t)
	mustDeploy(b, longNotes, someone)
	person := b.Published("people", `{}`)
	b.Published("notes", fmt.Sprintf(`{"text":%q}`, person.ID))
	b.Published("notes", `{}`)
	set, err := schema.ParseSet(entrytest.Proposal(`{"name":"notes","fields":{"text":{"type":"reference","to":"people"}}}`, someone).Collections)
	b.OK(err)
	scales := schemadeploy.NewScales(set...)
	var got []int
	weigh := func() {
		out, read, err := scales.Weigh(t.Context(), b.Pool, b.ID)
		b.OK(err)
		got = append(got, read, out.ContentErrorCount)
	}
	weigh()
	away := b.Set("delete")
	_, err = entry.Delete(t.Context(), b.Pool, b.Actor, b.ID, string(person.ID), string(away.ID))
	b.OK(err)
	b.Publish(away)
	weigh()
	if want := []int{2, 0, 1, 1}; !slices.Equal(got, want) {
		t.Errorf("read and wrong, twice: %v, want %v", got, want)
	}
}
