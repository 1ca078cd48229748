package index

import (
	"bytes"
	"errors"

	"github.com/cockroachdb/pebble/v2"

	"svc/edge/store/layout"
)

// TextPass indexes the words of what some releases published, entry by entry. Most words are in many of these documents, so
// that a row of the index changes once where releases by themselves would change it once each.
type TextPass struct {
	x               *Writer
	rows, documents *pebble.Iterator
	span            layout.TextSpan
	key             []byte
	other           FieldValues // of documents between the former one and the newest
}

// TextPass begins a pass over what releases of a span published, read from src; it ends with Close.
func (x *Writer) TextPass(src pebble.Reader, span layout.TextSpan) (p *TextPass, err error) {
	p = &TextPass{x: x, span: span}
	if p.rows, err = x.to.Generation.Iterate(src); err != nil {
		return nil, err
	}
	if p.documents, err = x.to.Generation.Iterate(src); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// Close closes what the pass read.
func (p *TextPass) Close() error {
	err := p.rows.Close()
	if p.documents != nil {
		err = errors.Join(err, p.documents.Close())
	}
	return err
}

// Entry indexes the documents of one entry. What is indexed twice, because a pass was interrupted, is indexed as once.
func (p *TextPass) Entry(e layout.EntryID) error {
	x, g, c := p.x, p.x.to.Generation, p.x.to.Collection
	x.old.clear()
	x.now.clear()
	newest := true
	p.key = g.EntryAt(p.key, layout.TableEntry, c, e, p.span.To)
	for ok := p.rows.SeekGE(p.key); ok && bytes.HasPrefix(p.rows.Key(), p.key[:layout.EntryPrefixLen]); ok = p.rows.Next() {
		value, err := p.rows.ValueAndErr()
		if err != nil {
			return err
		}
		state, err := layout.ReadEntryState(value)
		if err != nil {
			return err
		}
		former := layout.EntryReleaseIn(p.rows.Key()) <= p.span.From
		into := &p.other
		switch {
		case former:
			into = &x.old
		case newest:
			into = &x.now
		}
		newest = false
		if state.Live {
			if err := p.read(into); err != nil {
				return err
			}
			if !former {
				x.addPastTerms(into, state.Document)
			}
		}
		if former {
			break
		}
	}
	if err := p.rows.Error(); err != nil {
		return err
	}
	n, err := layout.NumberOf(p.documents, g, c, e)
	if err == nil {
		x.moveTerms(n)
	}
	return err
}

// read reads the document of the row at which p.rows stands.
func (p *TextPass) read(into *FieldValues) error {
	row := p.rows.Key()[layout.CollectionLen:]
	key := append(p.x.to.Generation.Collection(nil, layout.TableDocument, p.x.to.Collection), row...)
	if !p.documents.SeekGE(key) || !bytes.Equal(p.documents.Key(), key) {
		if err := p.documents.Error(); err != nil {
			return err
		}
		return layout.Damaged("entry: it has no document")
	}
	d, live, err := layout.DocumentIn(p.documents)
	if err == nil && !live {
		err = layout.Damaged("entry: its document is empty")
	}
	if err != nil {
		return err
	}
	return into.ReadTerms(p.x.defs, d.Fields)
}

// Texts are the definitions of terms among some.
func Texts(defs map[string][]*Definition) map[string][]*Definition {
	texts := map[string][]*Definition{}
	for field, all := range defs {
		for _, d := range all {
			if d.Class == ClassTerms {
				texts[field] = append(texts[field], d)
			}
		}
	}
	return texts
}
