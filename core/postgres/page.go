package postgres

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"svc/shared/fault"
)

// Bounds of the management lists (interface, "Limits").
const (
	DefaultLimit = 25
	MaxLimit     = 100
)

// Page asks for a part of a list that runs from the newest to the oldest. The zero Page is the front at the
// default size; sizes out of range count as the nearest one in it.
type Page struct {
	Limit  int
	Cursor string // as a Listing gave it; empty is the front
	// List names what is listed, with what it is narrowed to. A cursor is good for the list that it was given for alone:
	// in another one its key would quietly lead to some other place.
	List string
}

// Listing is one page, and the cursor of the next; an empty cursor ends the list.
type Listing[T any] struct {
	Items      []T
	NextCursor string
}

// Size is the number of rows wanted.
func (p Page) Size() int {
	switch {
	case p.Limit == 0:
		return DefaultLimit
	case p.Limit < 1:
		return 1
	case p.Limit > MaxLimit:
		return MaxLimit
	}
	return p.Limit
}

// After is the key of the row that the page comes after, in the words of the list; nil at the front.
func (p Page) After() (*string, error) {
	if p.Cursor == "" {
		return nil, nil
	}
	sealed, err := base64.RawURLEncoding.DecodeString(p.Cursor)
	key, ours := bytes.CutPrefix(sealed, p.mark())
	if err != nil || !ours || len(key) == 0 || len(key) > 100 || !utf8.Valid(key) || bytes.IndexByte(key, 0) >= 0 {
		return nil, foreignCursor()
	}
	text := string(key)
	return &text, nil
}

func foreignCursor() error {
	return fault.Invalid("cursor", "must be a pagination.nextCursor of the same list, narrowed in the same way")
}

// mark is what the cursors of a list begin with.
func (p Page) mark() []byte {
	sum := sha256.Sum256([]byte(p.List))
	return sum[:8]
}

// cursorAt is the cursor of the page after the row with this key.
func (p Page) cursorAt(key string) string {
	return base64.RawURLEncoding.EncodeToString(append(p.mark(), key...))
}

// Before is After for lists that count down numbers: the number that the page comes after, and the greatest there
// is at the front.
func (p Page) Before() (int64, error) {
	after, err := p.After()
	if err != nil || after == nil {
		return math.MaxInt64, err
	}
	n, err := strconv.ParseInt(*after, 10, 64)
	if err != nil {
		return 0, foreignCursor()
	}
	return n, nil
}

// maxPageBytes is the size beyond which a page of large rows ends before its limit, the same as of a public list.
const maxPageBytes = 4 << 20

// CollectPage reads a page of rows that may be large, from a query for one row more than was wanted. It ends early,
// with at least one row, where they are: what a page takes of memory is bounded by one row and a little.
func CollectPage[T any](p Page, rows pgx.Rows, scan pgx.RowToFunc[T], size func(T) int, key func(T) string) (Listing[T], error) {
	defer rows.Close()
	out := Listing[T]{Items: []T{}}
	for total := 0; rows.Next(); {
		if len(out.Items) == p.Size() || total > maxPageBytes {
			out.NextCursor = p.cursorAt(key(out.Items[len(out.Items)-1]))
			rows.Close()
			break
		}
		row, err := scan(rows)
		if err != nil {
			return Listing[T]{}, err
		}
		out.Items = append(out.Items, row)
		total += size(row)
	}
	return out, rows.Err()
}

// NewListing makes a page from one row more than was wanted, which tells that another page follows.
func NewListing[T any](p Page, rows []T, key func(T) string) Listing[T] {
	if len(rows) <= p.Size() {
		return Listing[T]{Items: rows}
	}
	rows = rows[:p.Size()]
	return Listing[T]{Items: rows, NextCursor: p.cursorAt(key(rows[len(rows)-1]))}
}

// List reads a page of a list, by a query for the rows behind the key $1, which is null at the front, up to $2 of them.
func List[T any](ctx context.Context, q Querier, p Page, scan pgx.RowToFunc[T], key func(T) string, sql string, args ...any) (Listing[T], error) {
	after, err := p.After()
	if err != nil {
		return Listing[T]{}, err
	}
	rows, _ := q.Query(ctx, sql, append([]any{after, p.Size() + 1}, args...)...) // reading the rows tells its error too
	found, err := pgx.CollectRows(rows, scan)
	if err != nil {
		return Listing[T]{}, fmt.Errorf("reading a list: %w", err)
	}
	return NewListing(p, found, key), nil
}
