package consistency

import (
	"context"
	"fmt"
	"net/url"
	"strconv"

	"svc/bench/node"
)

// Compare holds the whole list of a node, which query may pin, against the contents of a release.
func (l *History) Compare(ctx context.Context, n node.Node, project string, query url.Values, release uint64) error {
	size, err := strconv.Atoi(query.Get("limit"))
	if err != nil {
		return fmt.Errorf("the limit of the query: %w", err)
	}
	after := ""
	return n.Walk(ctx, project, Collection, query, func(answer node.Answer, page node.Page) error {
		if answer.Release != release {
			return fmt.Errorf("%s: %s answers of release %d, not %d", n.Name, answer.Path, answer.Release, release)
		}
		if err := l.At(release).fits(page, after, size); err != nil {
			return fmt.Errorf("%s: %s: %w", n.Name, answer.Path, err)
		}
		if len(page.Entries) > 0 {
			after = page.Entries[len(page.Entries)-1].ID
		}
		return nil
	})
}
