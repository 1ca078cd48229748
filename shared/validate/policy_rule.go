package validate

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/schema"
	"svc/shared/value"
)

// length measures a value as its reader sees it: the text of all that it holds. An unset field has no length; whether it
// may be unset is not this rule's question.
func (e *enforcer) length(f *schema.Field, r schema.Rule, raw jsontext.Value, path string) error {
	n := 0
	err := value.Leaves(f, raw, path, func(l value.Leaf) error {
		seen, err := e.read(l)
		if r.Words {
			n += value.CountWords(seen.Text)
		} else {
			n += utf8.RuneCountInString(seen.Text)
		}
		return err
	})
	if err != nil {
		return err
	}
	unit := "character"
	if r.Words {
		unit = "word"
	}
	if r.Min != nil && n < *r.Min {
		e.violation(r, path, "must have at least %s for its reader; it has %d", schema.Count(*r.Min, unit), n)
	}
	if r.Max != nil && n > *r.Max {
		e.violation(r, path, "must have at most %s for its reader; it has %d", schema.Count(*r.Max, unit), n)
	}
	return nil
}

// required finds a field that says nothing. Of a localized one the default locale counts: the others fall back on it.
func (e *enforcer) required(f *schema.Field, r schema.Rule) error {
	path, said := "fields."+f.Key, false
	isMap := false
	err := e.eachValue(f, func(raw jsontext.Value, at string) error {
		isMap = isMap || at != path
		if at != path && at != path+"."+e.locales.Default {
			return nil
		}
		hasContent, err := e.hasContent(f, raw, at)
		said = said || hasContent
		return err
	})
	if err != nil || said {
		return err
	}
	if isMap {
		path += "." + e.locales.Default
	}
	e.violation(r, path, "must not be empty when it is published")
	return nil
}

// hasContent reports whether a value is not empty: a text has more than white space, a list or an object has a member with
// content. A number, a boolean and a block always have content.
func (e *enforcer) hasContent(f *schema.Field, raw jsontext.Value, path string) (bool, error) {
	if f.Type == schema.TypeBlocks {
		return len(raw) > len("[]"), nil
	}
	said := false
	err := value.Leaves(f, raw, path, func(l value.Leaf) error {
		if said {
			return nil
		}
		var err error
		said, err = e.leafHasContent(l)
		return err
	})
	return said, err
}

func (e *enforcer) leafHasContent(l value.Leaf) (bool, error) {
	switch l.Field.Type {
	case schema.TypeText, schema.TypeSlug, schema.TypeMarkdown, schema.TypeRichText:
		seen, err := e.read(l)
		return seen.Embeds || strings.TrimSpace(seen.Text) != "", err
	case schema.TypeJSON:
		s := string(l.Raw)
		return s != `""` && s != "[]" && s != "{}", nil
	}
	return true, nil
}

// banned looks for terms in what a reader of a leaf sees and in what its author wrote, so that neither marks within a
// word nor a place that no reader sees hides one.
func (e *enforcer) banned(r schema.Rule, terms []value.Term, l value.Leaf) error {
	seen, err := e.read(l)
	if err != nil {
		return err
	}
	texts := []value.Text{value.NewText(seen.Text)}
	err = l.Strings(func(text string) {
		if text != seen.Text {
			texts = append(texts, value.NewText(text))
		}
	})
	for i, term := range terms {
		if slices.ContainsFunc(texts, func(t value.Text) bool { return t.Holds(term) }) {
			e.violation(r, l.Path, "must not contain %s", schema.Quote(r.Terms[i]))
		}
	}
	return err
}

// altText finds images whose usage carries no alt text and that have none of their own.
func (e *enforcer) altText(r schema.Rule, l value.Leaf) error {
	if e.assets == nil || len(value.AssetIDs(l.Raw)) == 0 {
		return nil
	}
	seen, err := e.read(l)
	if err != nil {
		return err
	}
	alts, err := l.Alts(seen)
	if err != nil {
		return err
	}
	for _, a := range alts {
		if strings.TrimSpace(a.Text) != "" {
			continue
		}
		asset, known := e.assets(a.Asset)
		if !known || !strings.HasPrefix(strings.ToLower(asset.ContentType), "image/") || strings.TrimSpace(asset.DefaultAlt) != "" {
			continue
		}
		e.violation(r, a.Path, "refers to the image %s, which has no alt text here and no default one", a.Asset)
	}
	return nil
}
