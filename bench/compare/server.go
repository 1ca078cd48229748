// Package compare puts the same content into an edge and into what a user could pick instead, gives all of them the same
// work, and measures it.
//
// The content (Make) is made of fixed seeds; the work (Content.Work) are six kinds of reads in many variants, each with the
// posts that answer it. Check reads every variant from a server and holds the rows against those posts, so that no server is
// measured that does less or other work. Edge, PocketBase and Postgres are the servers.
package compare

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc/bench/load"
	"svc/bench/node"
)

// Server is one that has the content and does the work.
type Server interface {
	// Name is what reports call it.
	Name() string
	// Rows reads a variant of a kind of work.
	Rows(ctx context.Context, w Work, v Variant) ([]Row, error)
	// Measure sends the variants of a kind of work in random order.
	Measure(ctx context.Context, w Work, turn load.Turn) (load.Result, error)
}

// Row is a post as a server shows it, and its author where that was asked for.
type Row struct {
	Post
	Included *Author
}

// Check reads every variant of a kind of work from a server. The first that does not show the posts it has to, in their
// order and with all their values, is an error that names it.
func Check(ctx context.Context, s Server, c *Content, w Work) error {
	authors := map[string]Author{}
	for _, a := range c.Authors {
		authors[a.Slug] = a
	}
	for _, v := range w.Variants {
		rows, err := s.Rows(ctx, w, v)
		if err == nil {
			err = same(rows, v.Rows, w.Letter == "f", authors)
		}
		if err != nil {
			return fmt.Errorf("%s: %s (%s), %s: %w", s.Name(), w.Letter, w.About, v, err)
		}
	}
	return nil
}

// same is an error where rows are not the posts, or do not have their authors where those are included.
func same(rows []Row, posts []Post, included bool, authors map[string]Author) error {
	if len(rows) != len(posts) {
		return fmt.Errorf("%d rows instead of %d", len(rows), len(posts))
	}
	for i, row := range rows {
		want := posts[i]
		// Two times may be the same in different forms.
		if row.PublishedOn.Equal(want.PublishedOn) {
			row.PublishedOn = want.PublishedOn
		}
		if row.Slug != want.Slug {
			return fmt.Errorf("row %d is %s instead of %s", i+1, row.Slug, want.Slug)
		}
		if row.Post != want {
			return fmt.Errorf("row %d is %+v instead of %+v", i+1, row.Post, want)
		}
		if included && (row.Included == nil || *row.Included != authors[want.Author]) {
			return fmt.Errorf("row %d, %s, has the author %+v instead of %+v", i+1, want.Slug, row.Included, authors[want.Author])
		}
	}
	return nil
}

// fields are the values of a post in JSON, as all servers show them. They differ in how they write a time, which is text
// here, and in what stands for the author.
type fields struct {
	Slug        string         `json:"slug"`
	Title       string         `json:"title"`
	Body        string         `json:"body"`
	Category    string         `json:"category"`
	Rating      float64        `json:"rating"`
	Featured    bool           `json:"featured"`
	PublishedOn string         `json:"publishedOn"`
	Author      jsontext.Value `json:"author"`
}

// row reads the values of a post; author is left to be set.
func (f fields) row() (Row, error) {
	// PocketBase has a space between day and time.
	at, err := time.Parse(time.RFC3339Nano, strings.Replace(f.PublishedOn, " ", "T", 1))
	return Row{Post: Post{
		Slug: f.Slug, Title: f.Title, Body: f.Body, Category: f.Category,
		Rating: f.Rating, Featured: f.Featured, PublishedOn: at,
	}}, err
}

// include sets the author of a row to one that its answer has.
func (r *Row) include(a Author) { r.Author, r.Included = a.Slug, &a }

func decode[T any](body []byte) (out T, err error) {
	if err = json.Unmarshal(body, &out); err != nil {
		err = fmt.Errorf("%.200s: %w", body, err)
	}
	return out, err
}

// web is a server that is read over HTTP.
type web struct {
	name string
	node node.Node
	path func(w Work, v Variant) string
	rows func(w Work, a node.Answer) ([]Row, error)
}

func (s web) Name() string { return s.name }

func (s web) Rows(ctx context.Context, w Work, v Variant) ([]Row, error) {
	answer, err := s.node.Get(ctx, s.path(w, v))
	if err != nil {
		return nil, err
	}
	if answer.Status != http.StatusOK {
		return nil, errors.New(answer.String())
	}
	return s.rows(w, answer)
}

func (s web) Measure(ctx context.Context, w Work, turn load.Turn) (load.Result, error) {
	cfg := load.Config{Address: strings.TrimPrefix(s.node.URL, "http://"), Turn: turn}
	for _, v := range w.Variants {
		cfg.Requests = append(cfg.Requests, load.Request{Path: s.path(w, v), Status: http.StatusOK})
	}
	return load.Run(ctx, cfg)
}
