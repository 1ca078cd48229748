package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"svc/core/wire"
)

// Page is one page of a list; an empty NextCursor ends it.
type Page[T any] struct {
	Items      []T
	NextCursor string
}

func page[T any](ctx context.Context, c *Client, path string, query url.Values) (Page[T], error) {
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	var out wire.List[T]
	err := c.call(ctx, http.MethodGet, path, nil, &out)
	page := Page[T]{Items: out.Data}
	if next := out.Pagination.NextCursor; next != nil {
		page.NextCursor = *next
	}
	return page, err
}

// all follows a list to its end.
func all[T any](ctx context.Context, c *Client, path string, query url.Values) ([]T, error) {
	out, _, err := first[T](ctx, c, path, query, 0)
	return out, err
}

// maxPage is the most that one page of a list holds (interface, "Limits").
const maxPage = 100

// first follows a list until it has n items, and tells whether there are more; 0 takes all.
func first[T any](ctx context.Context, c *Client, path string, query url.Values, n int) (items []T, more bool, err error) {
	q := url.Values{}
	for k, v := range query {
		q[k] = v
	}
	for {
		limit := maxPage
		if n > 0 {
			limit = min(maxPage, n-len(items))
		}
		q.Set("limit", strconv.Itoa(limit))
		p, err := page[T](ctx, c, path, q)
		if err != nil {
			return nil, false, err
		}
		items = append(items, p.Items...)
		if p.NextCursor == "" || n > 0 && len(items) >= n {
			return items, p.NextCursor != "", nil
		}
		q.Set("cursor", p.NextCursor)
	}
}
