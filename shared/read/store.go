package read

import (
	"context"
	"time"

	"svc/shared/content"
	"svc/shared/credential"
	"svc/shared/query"
	"svc/shared/schema"
	"svc/shared/search"
	"svc/shared/value"
)

// Store opens views of published content. The edge implements it on Pebble, core on PostgreSQL, package readtest
// in memory; the suite in readtest holds for all three.
type Store interface {
	// Open returns a view of the project with this id or slug, or a NOT_FOUND fault. The caller closes it.
	Open(ctx context.Context, project string) (View, error)
}

// View is one unchanging state of a project. Everything one request reads comes from one view, so an answer
// never mixes two releases. Methods may be called from one goroutine at a time.
type View interface {
	// Project returns the live settings.
	Project() *Project
	// Head is the newest release; its Number is 0 before the first.
	Head() content.Release
	// Release returns release n, and false where the view holds none of that number.
	Release(ctx context.Context, n uint64) (content.Release, bool, error)
	// ReleaseAt returns the newest release at or before t, with Number 0 where t lies before the first. Settled
	// is false while a release at or before t may still become known; a store that can find out does so then, for
	// views opened later.
	ReleaseAt(ctx context.Context, t time.Time) (r content.Release, settled bool, err error)
	// Collections returns the live collections, by key.
	Collections() []*Collection
	// Collection returns a live collection, and false where the project has none of that key.
	Collection(key string) (*Collection, bool)
	// Frame returns how a pin is read: the schema of a collection and the locales in force at that release. The
	// schema is nil where the collection did not exist then. Pin 0 is the live state.
	Frame(ctx context.Context, collection string, pin uint64) (Frame, error)
	// Version numbers the states of a collection that reads at a pin tell apart: while it is the same, so are their answers, for the
	// same caller. 0 is a state that is not known again.
	Version(collection string, pin uint64) uint64
	// List returns rows of a collection, read at a pin.
	List(ctx context.Context, q ListQuery) (Page, error)
	// History calls see with the fields of every revision of an entry of the collection that was published at or before
	// the pin, the newest first, until it returns false. They are valid during the call.
	History(ctx context.Context, collection string, id content.EntryID, pin uint64, see func(fields []byte) bool) error
	// ByID returns the entry of this id that is live at the pin, and false where none is.
	ByID(ctx context.Context, collection string, id content.EntryID, pin uint64) (Row, bool, error)
	// BySlug returns the entry that answered to the slug at the pin, and false where none did.
	BySlug(ctx context.Context, collection, slug string, pin uint64) (Row, bool, error)
	// FormerSlug returns the slug that the entry which last answered to this old slug has at the pin, and false where
	// no entry that is live there ever had it.
	FormerSlug(ctx context.Context, collection, slug string, pin uint64) (canonical string, found bool, err error)
	// Backlinks returns the entries of these collections that are live at the pin and refer to an entry, newest first (greatest
	// id) and no more than limit: those whose fields do under the frame of the pin (Frame.References).
	Backlinks(ctx context.Context, target content.EntryID, pin uint64, from []string, limit int) ([]Backlink, error)
	// Close lets the view go. Rows and pages read from it are invalid afterwards.
	Close()
}

// Project is what reads need of a project's settings.
type Project struct {
	ID               content.ProjectID
	Organization     content.OrganizationID
	Slug             string
	PublicAPIEnabled bool
	AllowedOrigins   []string
	Locales          []string
	DefaultLocale    string
	CursorKey        []byte // authenticates cursors, the same on every node
	// Pinned is the release that reads without one of their own answer as if it were the newest; 0: the newest.
	Pinned uint64
}

// Collection is a collection at its live version, with its live label. Visibility is that of the live schema.
type Collection struct {
	Schema  *schema.Collection
	Version uint32
}

// Frame is the schema and the locales under which a read interprets fields.
type Frame struct {
	Schema        *schema.Collection
	Version       uint32
	Locales       []string
	DefaultLocale string
}

// ValueLocales are the frame's locales as package value takes them.
func (f *Frame) ValueLocales() value.Locales {
	return value.Locales{Codes: f.Locales, Default: f.DefaultLocale}
}

// Row is one published entry as it is stored. Its slices belong to the view.
type Row struct {
	Entry         content.EntryID
	Revision      content.RevisionID
	Slug          string // with which it was published; readers see it where the collection has slugs at the pin
	PublishedAt   int64  // Unix milliseconds; 0: it is not published, which only previews show
	SchemaVersion uint32 // the version the fields were validated against
	Fields        []byte // canonical JSON object, members in the order of that version
	Key           Key    // where the row stands in the order of the list; unset by ByID and BySlug
}

// ListQuery selects a page of a collection.
type ListQuery struct {
	Collection string
	Pin        uint64 // 0 reads the head
	// Conditions select rows, Order sorts them. Both are bound to Frame, that of the pin, and read localized fields in
	// Locale; where it is empty, in the default locale. A plain query may come without a frame.
	Conditions query.Conditions
	// Search selects rows by their texts (value.Texts), as they are read under Frame in Locale; where it is empty, in all locales.
	Search search.Query
	Order  query.Order
	Frame  *Frame
	Locale string
	After  *Key // nil starts at the front; the row itself need not exist any more
	Limit  int  // rows wanted, 1 to 100
	// Bytes bounds the page further: it ends with the row that brings the fields of its rows to so many bytes. 0 is no
	// bound.
	Bytes int
}

// Page is a run of rows; More says that at least one row follows.
type Page struct {
	Rows []Row
	More bool
}

// IsPlain reports whether the query wants all rows, in the default order.
func (q *ListQuery) IsPlain() bool {
	return q.Conditions.None() && q.Order.IsDefault() && len(q.Search.Clauses) == 0
}

// Match decides by the stored fields of an entry whether the list has it. It allocates nothing without a search, and it is an error
// where fields is not in compact form.
func (q *ListQuery) Match(fields []byte) (bool, error) {
	in, err := q.Conditions.Match(fields)
	if err != nil || !in || len(q.Search.Clauses) == 0 {
		return in, err
	}
	return q.finds(fields)
}

// finds reports whether the search finds an entry.
func (q *ListQuery) finds(fields []byte) (bool, error) {
	var bad error
	found := q.Search.Match(func(yield func(string) bool) {
		for text, err := range value.Texts(q.Frame.Schema, q.Frame.ValueLocales(), q.Locale, fields) {
			if bad = err; bad != nil || !yield(text) {
				return
			}
		}
	})
	return found && bad == nil, bad
}

// Keys looks up what an API key allows. The edge answers from the organization's log and asks core about a key
// it has not met; core answers from PostgreSQL.
type Keys interface {
	// Grant returns the stored grant of a public id, or nil where there is none. It does not verify the secret. An
	// UNAVAILABLE fault means that no one can tell at the moment, and reads that need the key fail closed.
	Grant(ctx context.Context, publicID string) (*credential.Grant, error)
}
