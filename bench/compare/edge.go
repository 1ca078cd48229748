package compare

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc/bench/node"
	"svc/core/client"
	"svc/core/wire"
)

// The collections, whose names are the same on every server.
const (
	Posts   = "posts"
	authors = "authors"
)

func collections() []jsontext.Value {
	return []jsontext.Value{
		jsontext.Value(`{"name":"authors","visibility":"public","titleField":"name","fields":{
			"slug":{"type":"slug","from":"name"},"name":{"type":"text","required":true},"bio":{"type":"text"}}}`),
		jsontext.Value(`{"name":"posts","visibility":"public","titleField":"title","fields":{
			"slug":{"type":"slug","from":"title"},"title":{"type":"text","required":true},"body":{"type":"markdown"},
			"category":{"type":"text"},"rating":{"type":"number"},"featured":{"type":"boolean"},"publishedOn":{"type":"datetime"},
			"author":{"type":"reference","to":"authors"}}}`),
	}
}

// Project is a project that has the content.
type Project struct {
	Slug    string
	Release uint64            // its newest
	authors map[string]string // entry ids to slugs
	cursors []string          // by the page by newest date that they lead to
}

// Publish puts the content into a new, empty project, in two releases: one holds 10,000 entries at most.
func (c *Content) Publish(ctx context.Context, api *client.Client, project string) (*Project, error) {
	if _, err := api.PushSchema(ctx, project, collections(), false, ""); err != nil {
		return nil, err
	}
	p := &Project{Slug: project, authors: map[string]string{}}
	made, err := publish(ctx, api, p, authors, c.Authors)
	if err != nil {
		return nil, err
	}
	ids := map[string]string{}
	for _, e := range made {
		p.authors[string(*e.Entry)], ids[*e.Slug] = *e.Slug, string(*e.Entry)
	}
	referring := make([]Post, len(c.Posts))
	for i, post := range c.Posts {
		post.Author = ids[post.Author]
		referring[i] = post
	}
	_, err = publish(ctx, api, p, Posts, referring)
	return p, err
}

// publish creates entries, in the order given, and publishes them.
func publish[T any](ctx context.Context, api *client.Client, p *Project, collection string, rows []T) ([]wire.ImportedRow, error) {
	var lines bytes.Buffer
	for _, row := range rows {
		if err := json.MarshalWrite(&lines, map[string]T{"data": row}); err != nil {
			return nil, err
		}
		lines.WriteByte('\n')
	}
	made, err := api.ImportLines(ctx, p.Slug, collection, &lines, client.ImportOptions{})
	if err != nil {
		return nil, err
	}
	if made.Created != len(rows) {
		return nil, fmt.Errorf("the import made %d of %d %s", made.Created, len(rows), collection)
	}
	out, err := api.Publish(ctx, p.Slug, string(*made.ChangeSet))
	if err != nil {
		return nil, err
	}
	p.Release = *out.ChangeSet.ReleaseNumber
	return made.Entries, nil
}

// Walk keeps the cursors of the list by newest date, which are good on every node.
func (p *Project) Walk(ctx context.Context, from node.Node) error {
	p.cursors = []string{""}
	return from.Walk(ctx, p.Slug, Posts, url.Values{"order": {"-publishedOn"}}, func(_ node.Answer, page node.Page) error {
		p.cursors = append(p.cursors, page.Next)
		return nil
	})
}

// Edge is an edge that serves a project.
func (p *Project) Edge(name string, n node.Node) Server {
	return web{name: name, node: n, path: p.path, rows: p.rows}
}

func (p *Project) path(w Work, v Variant) string {
	list := node.List(p.Slug, Posts)
	after := ""
	if v.Page > 0 {
		after = "&cursor=" + p.cursors[v.Page]
	}
	switch w.Letter {
	case "a":
		return node.Single(p.Slug, Posts, v.Slug)
	case "c":
		return list + fmt.Sprintf("?filter[category]=%s&filter[featured]=true&filter[rating][lte]=%.1f&order=rating", v.Category, v.Rating)
	case "e":
		return list + fmt.Sprintf("?q=%s+%s&order=-publishedOn", v.Words[0], v.Words[1])
	case "f":
		return list + "?order=-publishedOn&include=author" + after
	}
	return list + "?order=-publishedOn" + after
}

func (p *Project) rows(w Work, a node.Answer) ([]Row, error) {
	var page node.Page
	var err error
	if w.Letter == "a" {
		page.Entries = make([]node.Entry, 1)
		page.Entries[0], err = a.Entry()
	} else {
		page, err = a.Page()
	}
	if err != nil {
		return nil, err
	}
	var rows []Row
	for _, e := range page.Entries {
		row, err := p.row(e)
		if err != nil {
			return nil, fmt.Errorf("entry %s: %w", e.ID, err)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func (p *Project) row(e node.Entry) (Row, error) {
	values, err := decode[fields](e.Fields)
	if err != nil {
		return Row{}, err
	}
	row, err := values.row()
	if err != nil {
		return Row{}, err
	}
	if values.Author.Kind() == '{' {
		included, err := decode[struct {
			Fields Author `json:"fields"`
		}](values.Author)
		row.include(included.Fields)
		return row, err
	}
	id, err := strconv.Unquote(string(values.Author))
	row.Author = p.authors[id]
	return row, err
}
