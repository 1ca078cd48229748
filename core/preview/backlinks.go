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
		found := 0
		var bad error
		err = v.each(ctx, func(row *read.Row) bool {
			var refers bool
			if refers, bad = frame.References(row.Fields, target); refers {
				all = append(all, read.Backlink{Entry: row.Entry, Collection: collection, Slug: row.Slug})
				found++
			}
			return bad == nil && found < limit
		}, selectRows+` AND strpos(r.fields, $4) > 0 AND e.id > $5 ORDER BY e.id DESC`, collection, v.at(pin), string(target), oldest)
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
