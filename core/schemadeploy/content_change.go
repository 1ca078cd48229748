package schemadeploy

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/fault"
	"svc/shared/schema"
	"svc/shared/validate"
	"svc/shared/value"
)

// slug finds a field that becomes the slug field while it holds something else than the entry's slug. Readers would see
// two slugs, and nothing has made sure that no one else has that one.
func (k *contentCheck) slug(h head) error {
	f := k.now.SlugField()
	if f == nil {
		return nil
	}
	raw, err := value.Read(k.now, k.locales, "", h.fields, f.Key)
	if err != nil || raw.Kind() != '"' {
		return err
	}
	text, err := jsontext.AppendUnquote(nil, raw)
	if err != nil {
		return err
	}
	switch {
	case h.slug == nil:
		k.add(h, "fields."+f.Key, schema.CodeSlug, "holds %s, but the entry has no slug; add the slug field under another key", schema.Quote(string(text)))
	case *h.slug != string(text):
		k.add(h, "fields."+f.Key, schema.CodeSlug, "holds %s, but the slug of the entry is %q; add the slug field under another key", schema.Quote(string(text)), *h.slug)
	}
	return nil
}

// place is where a value does not fit, and how.
type place struct{ path, code string }

// kept are the findings that an edit of the entry leaves as they are: it drops what the schema in force does not declare, and with it
// the others.
func (k *contentCheck) kept(h head, items []fault.Item) (map[place]bool, error) {
	if len(items) == 0 {
		return nil, nil
	}
	edited, err := value.Canonical(k.was, k.before, h.fields, value.FillNothing)
	if err != nil {
		return nil, err
	}
	left, err := validate.Stored(k.now, k.locales, edited)
	kept := map[place]bool{}
	for _, i := range left {
		kept[place{i.Path, i.Code}] = true
	}
	return kept, err
}

// undeclared reports whether a path leads into a field that the proposed schema declares and the one in force does not.
func (k *contentCheck) undeclared(path string) bool {
	key := value.TopLevel(path)
	return k.was.Field(key) == nil && k.now.Field(key) != nil
}

// explain is the message of a finding. What comes from times that the schemas in force say nothing of is told apart: no one
// sees it to mend it.
func (k *contentCheck) explain(h head, i fault.Item, former bool) string {
	switch {
	case k.back:
		return fmt.Sprintf("%s; the entry is one of the earlier collection of this name, which was removed at version %d, when the project had %s: "+
			"push that again, under these locales, to edit or delete it", i.Message, k.version, localesText(k.before))
	case former && h.published:
		return i.Message + "; the value is one of an earlier field of this name, which was removed: an edit of the entry drops it, " +
			"even one without changes, once that is published"
	case former:
		return i.Message + "; the value is one of an earlier field of this name, which was removed: an edit of this draft drops it, " +
			"even one without changes"
	}
	return i.Message
}
