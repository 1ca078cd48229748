package consistency

import (
	"bytes"
	"context"
	"fmt"
	"maps"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc/core/client"
	"svc/core/wire"
)

// Stage is a project whose items change.
type Stage struct {
	Client  *client.Client
	Project string
}

// First pushes the schema and publishes release 1: all items at generation 1. It returns them by the ids of their entries.
func (s Stage) First(ctx context.Context, size int) (map[string]Item, error) {
	if _, err := s.Client.PushSchema(ctx, s.Project, []jsontext.Value{Schema()}, false, ""); err != nil {
		return nil, err
	}
	var rows []Item
	for n := range size {
		rows = append(rows, ItemAt(n, 1))
	}
	made, err := s.take(ctx, rows, "")
	if err != nil {
		return nil, err
	}
	if _, err := s.Client.Publish(ctx, s.Project, string(*made.ChangeSet)); err != nil {
		return nil, err
	}
	byID := map[string]Item{}
	for i, row := range made.Entries {
		byID[string(*row.Entry)] = rows[i]
	}
	return byID, nil
}

// Second stages release 2, which has as many items as release 1: 85 % of them updates, 7.5 % creations and 7.5 %
// deletions, so that 7.5 % of the entries of release 1 stay as they were. It returns the change set and all items
// as they are after it.
func (s Stage) Second(ctx context.Context, before map[string]Item) (set string, after map[string]Item, err error) {
	size := len(before)
	updated, created := size*85/100, size*75/1000
	deleted := size - updated - created
	var rows []Item
	for n := range updated {
		rows = append(rows, ItemAt(n, 2))
	}
	for n := range created {
		rows = append(rows, ItemAt(size+n, 2))
	}
	made, err := s.take(ctx, rows, "")
	if err != nil {
		return "", nil, err
	}
	after = maps.Clone(before)
	for i, row := range made.Entries {
		after[string(*row.Entry)] = rows[i]
	}
	bySlug := NewContents(before).bySlug
	for n := updated; n < updated+deleted; n++ {
		id := bySlug[ItemAt(n, 1).Slug]
		if _, err := s.Client.DeleteEntry(ctx, s.Project, id, string(*made.ChangeSet)); err != nil {
			return "", nil, err
		}
		delete(after, id)
	}
	return string(*made.ChangeSet), after, nil
}

// take imports items into a change set, a new one where that is empty.
func (s Stage) take(ctx context.Context, rows []Item, set string) (wire.Imported, error) {
	var lines bytes.Buffer
	for _, row := range rows {
		if err := json.MarshalWrite(&lines, map[string]Item{"data": row}); err != nil {
			return wire.Imported{}, err
		}
		lines.WriteByte('\n')
	}
	made, err := s.Client.ImportLines(ctx, s.Project, Collection, &lines, client.ImportOptions{ChangeSetID: set})
	if err == nil && len(made.Entries) != len(rows) {
		err = fmt.Errorf("the import answers with %d of %d rows", len(made.Entries), len(rows))
	}
	return made, err
}
