package plan

import (
	"bytes"

	"github.com/cockroachdb/pebble/v2"

	"svc/edge/store/layout"
	"svc/edge/store/snapshot"
	"svc/shared/search"
)

// phrase is a clause of several words that a text must have in this order, or that no text may have.
type phrase struct {
	text    []byte // as rows of words have it
	exclude bool
	found   bool // in the document that is looked at
}

func phraseOf(c *search.Clause) phrase {
	p := phrase{exclude: c.Exclude}
	for word := range c.Words {
		p.text = layout.AppendTextWord(p.text, word, len(p.text) == 0)
	}
	return p
}

// holdsPhrases decides by the words of an entry's document, the one that a release published. Where all that match have words, a later
// release leads to them too.
func (x *execution) holdsPhrases(e layout.EntryID, release uint64) (bool, error) {
	if len(x.phrases) == 0 {
		return true, nil
	}
	for i := range x.phrases {
		x.phrases[i].found = false
	}
	it, err := x.r.Iterator(snapshot.Words)
	if err != nil {
		return false, err
	}
	if x.worded {
		x.key = x.r.Generation.EntryAt(x.key, layout.TableWords, x.c, e, release)
		if it.SeekGE(x.key) && bytes.HasPrefix(it.Key(), x.key[:layout.EntryPrefixLen]) {
			release = layout.EntryReleaseIn(it.Key()[:layout.EntryRowLen])
		}
	}
	for _, s := range x.collection.searchedFields(x.q.Frame.Schema) {
		x.key = x.r.Generation.Words(x.key, x.c, e, release, s.of.Number)
		if err := x.findPhrases(it, &s); err != nil {
			return false, err
		}
	}
	for i := range x.phrases {
		if p := &x.phrases[i]; p.found == p.exclude {
			return false, nil
		}
	}
	return true, nil
}

// findPhrases looks for the phrases in one field, as it is read. The rows of its words begin with x.key.
func (x *execution) findPhrases(it *pebble.Iterator, s *searched) error {
	if x.q.Locale == "" && s.field.Localized && len(x.q.Frame.Locales) > 0 {
		for ok := seekNear(it, x.key); ok && bytes.HasPrefix(it.Key(), x.key); ok = it.Next() {
			if err := x.findIn(it); err != nil {
				return err
			}
		}
		return it.Error()
	}
	hidden := false // what the default locale has
	for _, from := range x.sources(s.field) {
		if from.fallback && hidden {
			continue
		}
		key := layout.AppendLocale(x.key, from.locale)
		if !seekNear(it, key) || !bytes.Equal(it.Key(), key) {
			continue
		}
		hidden = true
		if err := x.findIn(it); err != nil {
			return err
		}
	}
	return it.Error()
}

// seekNear moves the iterator to the first row at or after a key. Mostly it stands there, or the row is the next one: fields are looked
// for in the order in which the rows of a document lie.
func seekNear(it *pebble.Iterator, key []byte) bool {
	if it.Valid() {
		switch at := bytes.Compare(it.Key(), key); {
		case at == 0:
			return true
		case at < 0 && it.Next() && bytes.Compare(it.Key(), key) >= 0:
			return true
		}
	}
	return it.SeekGE(key)
}

// findIn looks for the phrases in the row at which the iterator stands.
func (x *execution) findIn(it *pebble.Iterator) error {
	words, err := it.ValueAndErr()
	for i := range x.phrases {
		p := &x.phrases[i]
		p.found = p.found || bytes.Contains(words, p.text)
	}
	return err
}
