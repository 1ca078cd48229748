package compare

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/url"
	"strconv"

	"github.com/go-json-experiment/json"

	"svc/bench/node"
)

// PocketBaseName is what reports call PocketBase.
const PocketBaseName = "PocketBase"

// pocketBase is the program of bench/peers with the content.
type pocketBase struct {
	node    node.Node
	authors map[string]string // record ids to slugs
}

// PocketBase is the program of bench/peers with the content, at an address such as "127.0.0.1:8090".
func PocketBase(ctx context.Context, address string) (Server, error) {
	p := pocketBase{node: node.Node{Name: PocketBaseName, URL: "http://" + address}, authors: map[string]string{}}
	answer, err := p.node.Get(ctx, recordsOf(authors)+"?perPage="+strconv.Itoa(authorCount))
	if err != nil {
		return nil, err
	}
	list, err := decode[records](answer.Body)
	for _, r := range list.Items {
		p.authors[r.ID] = r.Slug
	}
	return web{name: p.node.Name, node: p.node, path: p.path, rows: p.rows}, err
}

func recordsOf(collection string) string { return "/api/collections/" + collection + "/records" }

// path asks for no total, as PocketBase's documentation advises where no one reads it: an edge counts none either.
func (p pocketBase) path(w Work, v Variant) string {
	query := url.Values{"skipTotal": {"1"}, "perPage": {strconv.Itoa(pageRows)}, "sort": {"-publishedOn"}}
	switch w.Letter {
	case "a": // as PocketBase's own clients read one record by a field
		query.Del("sort")
		query.Set("perPage", "1")
		query.Set("filter", fmt.Sprintf("slug = %q", v.Slug))
	case "c":
		query.Set("filter", fmt.Sprintf("category = %q && featured = true && rating <= %.1f", v.Category, v.Rating))
		query.Set("sort", "rating,slug") // ties go by slug, as everywhere
	case "d":
		query.Set("page", strconv.Itoa(v.Page+1))
	case "e":
		query.Set("filter", fmt.Sprintf("body ~ %q && body ~ %q", v.Words[0], v.Words[1]))
	case "f":
		query.Set("page", strconv.Itoa(v.Page+1))
		query.Set("expand", "author")
	}
	return recordsOf(Posts) + "?" + query.Encode()
}

// records is a page of a list.
type records struct {
	Items []struct {
		ID string `json:"id"`
		fields
		Expand struct {
			Author *Author `json:"author"`
		} `json:"expand"`
	} `json:"items"`
}

func (p pocketBase) rows(_ Work, a node.Answer) ([]Row, error) {
	list, err := decode[records](a.Body)
	if err != nil {
		return nil, err
	}
	var rows []Row
	for _, r := range list.Items {
		row, err := r.row()
		if err != nil {
			return nil, fmt.Errorf("record %s: %w", r.ID, err)
		}
		id, err := strconv.Unquote(string(r.Author))
		if err != nil {
			return nil, fmt.Errorf("record %s: its author: %w", r.ID, err)
		}
		row.Author = p.authors[id]
		if r.Expand.Author != nil {
			row.include(*r.Expand.Author)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// WriteLines writes the content as the program of bench/peers reads it: JSON lines, authors first.
func (c *Content) WriteLines(out io.Writer) error {
	type line struct {
		Collection string `json:"collection"`
		Fields     any    `json:"fields"`
	}
	buffered := bufio.NewWriter(out)
	write := func(l line) error {
		if err := json.MarshalWrite(buffered, l); err != nil {
			return err
		}
		return buffered.WriteByte('\n')
	}
	for _, a := range c.Authors {
		if err := write(line{authors, a}); err != nil {
			return err
		}
	}
	for _, p := range c.Posts {
		if err := write(line{Posts, p}); err != nil {
			return err
		}
	}
	return buffered.Flush()
}
