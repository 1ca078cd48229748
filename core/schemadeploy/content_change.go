package schemadeploy

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/fault"
	"svc/shared/schema"
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

// explain is the message of a finding. What comes from times that the schemas in force say nothing of is told apart: no one
// sees it to mend it.
func (k *contentCheck) explain(i fault.Item) string {
	if k.back {
		return fmt.Sprintf("%s; the entry is one of the earlier collection of this name, which was removed at version %d, when the project had %s: "+
			"push that again, under these locales, to edit or delete it", i.Message, k.version, localesText(k.before))
	}
	key := value.TopLevel(i.Path)
	if k.was.Field(key) == nil && k.now.Field(key) != nil && i.Code != string(schema.CodeRequired) {
		return i.Message + "; the value is one of an earlier field of this name, which was removed: the next edit of the entry drops it"
	}
	return i.Message
}
