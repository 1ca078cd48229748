package plan

import (
	"bytes"
	"slices"

	"svc/edge/store/column"
	"svc/edge/store/index"
	"svc/edge/store/layout"
	"svc/edge/store/snapshot"
	"svc/shared/schema"
	"svc/shared/value"
)

// columnOf returns the ranks of a field's values as the query reads them.
func (x *execution) columnOf(f *schema.Field) (*column.Values, error) {
	of := x.collection.definition(f)
	name := column.Field{Generation: x.r.Generation, Collection: x.c, Definition: of.Number, Sources: sourcesText(x.sources(f))}
	from := func() ([]column.Source, error) { return x.columnSources(f, of) }
	return x.engine.columns.Values(x.ctx, x.r, name, x.documents, x.ever, from, x.keyOf(f))
}

// newest returns the ranks by which nothing has a value.
func (x *execution) newest() (*column.Values, error) {
	name := column.Field{Generation: x.r.Generation, Collection: x.c, Definition: layout.EveryEntry}
	from := func() ([]column.Source, error) { return nil, nil }
	read := func(uint32) ([]byte, bool, error) { return nil, false, nil }
	return x.engine.columns.Values(x.ctx, x.r, name, x.documents, x.ever, from, read)
}

// rankOf returns the rank of a value of a field. The row that the index has for it, or the next one, tells; where values come from several
// sources, or begin alike, it is looked for among the documents.
func (x *execution) rankOf(of *column.Values, f *schema.Field, key []byte) (column.Rank, error) {
	sources, value := x.sources(f), layout.AppendValue(nil, key)
	if len(sources) > 1 || layout.IsLong(value) {
		return of.Find(key, x.ever, x.keyOf(f))
	}
	it, err := x.r.Iterator(snapshot.Postings)
	if err != nil {
		return 0, err
	}
	x.key = x.r.Generation.Field(x.key, layout.TablePastPosting, x.c, x.collection.definition(f).Number, sources[0].locale)
	prefix := len(x.key)
	x.key = append(x.key, value...)
	for ok := it.SeekGE(x.key); ok && bytes.HasPrefix(it.Key(), x.key[:prefix]); ok = it.Next() {
		document, err := layout.LeastNumberIn(it)
		if err != nil {
			return 0, err
		}
		if document >= of.Ranked() {
			continue
		}
		switch next := it.Key()[prefix : len(it.Key())-layout.ChunkLen]; {
		case bytes.Equal(next, value):
			return of.Rank(document), nil
		case layout.IsLong(next): // another one that begins so may come first
			return of.Find(key, x.ever, x.keyOf(f))
		}
		return of.Rank(document).Before(), nil
	}
	return column.Missing.Before(), it.Error()
}

// columnSources are the sources of a field for all documents that ever were.
func (x *execution) columnSources(f *schema.Field, of *index.Definition) ([]column.Source, error) {
	sources := slices.Clone(x.sources(f))
	out := make([]column.Source, len(sources))
	for i, s := range sources {
		out[i].Locale = s.locale
		if !s.fallback {
			continue
		}
		var err error
		if out[i].Hidden, err = x.hiding(layout.PastSpace, of, sources); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// keyOf reads the value of a field from documents, as the query reads it.
func (x *execution) keyOf(f *schema.Field) column.ReadKey {
	return func(document uint32) ([]byte, bool, error) {
		_, d, err := x.r.DocumentOf(x.c, document)
		if err != nil {
			return nil, false, err
		}
		return x.keyIn(f, d.Fields)
	}
}

// keyIn reads the value of a field.
func (x *execution) keyIn(f *schema.Field, fields []byte) (key []byte, has bool, err error) {
	x.read[0] = f
	if err := value.ReadSet(x.values[:], x.read[:], x.q.Frame.ValueLocales(), x.q.Locale, fields); err != nil {
		return nil, false, err
	}
	key, has = value.KeyOf(x.value[:0], f, x.values[0])
	return key, has, nil
}
