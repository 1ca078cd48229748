package read

import (
	"context"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/content"
	"svc/shared/credential"
	"svc/shared/fault"
	"svc/shared/query"
	"svc/shared/render"
	"svc/shared/schema"
)

// ReferenceReader is a View that remembers entries that others refer to.
type ReferenceReader interface {
	// Referred is ByID for such an entry. What refers to it may be no id.
	Referred(ctx context.Context, collection string, id content.EntryID, pin uint64) (Row, bool, error)
}

// readReferred reads an entry that others refer to.
type readReferred func(ctx context.Context, collection string, id content.EntryID, pin uint64) (Row, bool, error)

func referredIn(view View) readReferred {
	if v, ok := view.(ReferenceReader); ok {
		return v.Referred
	}
	return func(ctx context.Context, collection string, id content.EntryID, pin uint64) (Row, bool, error) {
		if !content.IsID[content.EntryID](string(id)) {
			return Row{}, false, nil
		}
		return view.ByID(ctx, collection, id, pin)
	}
}

const (
	// maxIncluded is how many bytes of fields the entries that one entry includes may have together.
	maxIncluded = 32 << 20
	// lookupBytes is what including an id counts beside that, since looking for it takes time even where nothing is found.
	lookupBytes = 256
)

// checkInclude refuses names in include that are no reference fields of the schema that is read.
func (x *exchange) checkInclude() error {
	for _, name := range x.query.Include {
		if f := x.frame.Schema.Field(name); f == nil || f.Type != schema.TypeReference {
			what := fmt.Sprintf("the collection %q has no field %q", x.frame.Schema.Name, query.Shorten(name))
			if f != nil {
				what = fmt.Sprintf("the field %q is of type %s", f.Key, f.Type)
			}
			return fault.Invalid("include", "%s; what can be included is %s", what,
				query.FieldNames(x.frame.Schema, func(f *schema.Field) bool { return f.Type == schema.TypeReference }))
		}
	}
	return nil
}

// includer embeds the entries that the included fields of one answer refer to.
type includer struct {
	ctx      context.Context
	referred readReferred
	pin      uint64
	fields   schema.Fields
	// targets are the collections that the caller may read, by key. Entries of others are embedded for no one.
	targets map[string]*target
	lookups int
	// bytes is what the included fields, and looking for them, count in the entry that is being written.
	bytes int
}

// target is a collection whose entries are embedded.
type target struct {
	shaper
	known map[content.EntryID]int // the entries that were looked for already, by their place in rows; none where there is no such entry
	rows  []Row
}

const none = -1

// include returns what embeds the included fields that the answer shows, or that count for the ids of its headings; nil where there
// are none.
func (x *exchange) include(ctx context.Context, page *render.Page) (*includer, error) {
	var in *includer
	for _, name := range x.query.Include {
		if x.query.Fields != nil && page == nil && !slices.Contains(x.query.Fields, name) {
			continue
		}
		if in == nil {
			in = &includer{ctx: ctx, referred: referredIn(x.view), pin: x.pin.release, targets: map[string]*target{}}
		}
		f := x.frame.Schema.Field(name)
		in.fields = append(in.fields, f)
		if err := x.addTarget(ctx, in, f.To, page); err != nil {
			return nil, err
		}
	}
	return in, nil
}

// addTarget adds a collection if the caller may read it. An answer that a key opens a private one for is private.
func (x *exchange) addTarget(ctx context.Context, in *includer, name string, page *render.Page) error {
	c, found := x.view.Collection(name)
	if !found || in.targets[name] != nil {
		return nil
	}
	if c.Schema.Visibility != schema.VisibilityPublic {
		if x.undecided != nil {
			return x.undecided
		}
		if x.grant == nil || !x.grant.Has(credential.ContentRead) || !x.grant.Covers(name) {
			return nil
		}
		x.private = true
	}
	x.dependsOn = append(x.dependsOn, name)
	frame, err := x.view.Frame(ctx, name, x.pin.release)
	if err != nil {
		return fault.Wrap(err, "reading the schema of an included collection")
	}
	if frame.Schema != nil {
		n := x.query.Limit
		in.targets[name] = &target{shaperOf(&frame, x.query.Locale, page), make(map[content.EntryID]int, n), make([]Row, 0, n)}
	}
	return nil
}

// reference is value.Output's: it appends {"id", "slug", "fields"} instead of an id in an included field, and nothing where there is
// no such entry for the caller.
func (in *includer) reference(dst []byte, f *schema.Field, id jsontext.Value) ([]byte, error) {
	if !slices.Contains(in.fields, f) {
		return append(dst, id...), nil
	}
	to := in.targets[f.To]
	if to == nil {
		return dst, nil
	}
	row, err := in.row(to, f.To, id)
	if err != nil || row == nil {
		return dst, err
	}
	if in.bytes += len(row.Fields); in.bytes > maxIncluded {
		return dst, &fault.Error{Code: fault.PayloadTooLarge, Detail: "one entry includes more than 32 MiB of others; name fewer fields in include"}
	}
	dst = append(append(dst, `{"id":`...), id...)
	dst, err = to.fields(append(appendSlug(dst, row.Slug, to.slugs), `,"fields":`...), row)
	return append(dst, '}'), err
}

// row returns the entry of an id; nil where it is not published at the pin. It is valid until the next one is looked for.
func (in *includer) row(to *target, collection string, quoted jsontext.Value) (*Row, error) {
	in.lookups++
	in.bytes += lookupBytes
	text, _ := schema.Unquote(quoted)
	n, known := to.known[content.EntryID(text)]
	if !known {
		id := content.EntryID(text)
		row, found, err := in.referred(in.ctx, collection, id, in.pin)
		if err != nil {
			return nil, fault.Wrap(err, "reading an included entry")
		}
		if n = none; found {
			n, to.rows = len(to.rows), append(to.rows, row)
		}
		to.known[id] = n
	}
	if n == none {
		return nil, nil
	}
	return &to.rows[n], nil
}
