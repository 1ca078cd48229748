package preview

import (
	"context"
	"fmt"

	"svc/shared/content"
	"svc/shared/read"
)

// Backlinks implements read.View. No table tells who refers to whom at a release, so of each collection the live rows are looked
// at, newest first, until enough are found. Only those that have the id somewhere in their fields are sent: ids are written in
// one way there.
func (v *view) Backlinks(ctx context.Context, target content.EntryID, pin uint64, from []string, limit int) ([]read.Backlink, error) {
	return v.backlinks(ctx, target, pin, from, limit, selectRows, func(collection string) []any { return []any{collection, v.at(pin)} })
}

// backlinks is Backlinks for the rows of a query, whose further arguments depend on the collection.
func (v *view) backlinks(
	ctx context.Context, target content.EntryID, pin uint64, from []string, limit int, rows string, argsOf func(collection string) []any,
) ([]read.Backlink, error) {
	var all []read.Backlink
	for _, collection := range from {
		frame, err := v.Frame(ctx, collection, pin)
		if err != nil {
			return nil, err
		}
		if !frame.MayReference() {
			continue
		}
		oldest := "" // of those that count, once there are enough
		if len(all) == limit {
			oldest = string(all[limit-1].Entry)
		}
		found, args := 0, argsOf(collection)
		var bad error
		err = v.each(ctx, func(row *read.Row) bool {
			var refers bool
			if refers, bad = frame.References(row.Fields, target); refers {
				all = append(all, read.Backlink{Entry: row.Entry, Collection: collection, Slug: row.Slug})
				found++
			}
			return bad == nil && found < limit
		}, fmt.Sprintf(`%s AND strpos(r.fields, $%d) > 0 AND e.id > $%d ORDER BY e.id DESC`, rows, len(args)+2, len(args)+3),
			append(args, string(target), oldest)...)
		if err == nil {
			err = bad
		}
		if err != nil {
			return nil, fmt.Errorf("looking for what refers to an entry: %w", err)
		}
		all = read.NewestBacklinks(all, limit)
	}
	return all, nil
}
