package table

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"
)

// Collection is the collection that documents belong to, and Schema its schema: every kind of field that has an index.
const (
	Collection = "articles"
	Schema     = `{"name":"articles","kind":"collection","visibility":"public","titleField":"title","fields":{` +
		`"title":{"type":"text","required":true},"slug":{"type":"slug","from":"title"},"summary":{"type":"text"},` +
		`"category":{"type":"text"},"author":{"type":"text"},"views":{"type":"number","integer":true},"rating":{"type":"number"},` +
		`"featured":{"type":"boolean"},"day":{"type":"date"},"updated":{"type":"datetime"},` +
		`"next":{"type":"reference","to":"articles"},"body":{"type":"markdown"}}}`
)

// sortable are the fields of Schema that lists can be ordered by.
var sortable = []string{"title", "slug", "summary", "category", "author", "views", "rating", "featured", "day", "updated"}

// Document is the fields of an entry, in the order of Schema.
type Document struct {
	Title    string  `json:"title"`
	Slug     string  `json:"slug"`
	Summary  string  `json:"summary"`
	Category string  `json:"category"`
	Author   string  `json:"author"`
	Views    int     `json:"views"`
	Rating   float64 `json:"rating"`
	Featured bool    `json:"featured"`
	Day      string  `json:"day"`
	Updated  string  `json:"updated"`
	Next     string  `json:"next,omitzero"`
	Body     string  `json:"body"`
}

const (
	maxViews   = 1_000_000 // Views is spread evenly below
	categories = 12
	days       = 2_000 // Day is one of so many
	span       = 365 * 24 * time.Hour
)

// begin is the first moment of Updated, which is spread evenly over a span.
var begin = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

func moment(after time.Duration) string { return begin.Add(after).Format("2006-01-02T15:04:05.000Z") }

// At makes document n in one of its versions, the same for the same numbers. Next is left to the caller, who knows the ids of entries.
func At(n, version int) Document {
	random := rand.New(rand.NewPCG(uint64(n), uint64(version)))
	words := rand.NewZipf(random, 1.1, 3, 4_999)
	return Document{
		Title: prose(random, words, 30), Slug: Slug(n), Summary: prose(random, words, 300),
		Category: fmt.Sprintf("category-%d", random.IntN(categories)), Author: fmt.Sprintf("author-%d", random.IntN(n/50+1)),
		Views: random.IntN(maxViews), Rating: float64(random.IntN(100)) / 10, Featured: random.IntN(10) == 0,
		Day:     begin.AddDate(0, 0, -random.IntN(days)).Format(time.DateOnly),
		Updated: moment(time.Duration(random.Int64N(int64(span))).Truncate(time.Millisecond)),
		Body:    prose(random, words, 1_250),
	}
}

// Slug is the slug of document n.
func Slug(n int) string { return fmt.Sprintf("article-%07d", n) }

// prose makes so many letters of words that are as frequent as words of a language are: w1 is in nearly every document, w5000 in
// few.
func prose(random *rand.Rand, words *rand.Zipf, letters int) string {
	var b strings.Builder
	for b.Len() < letters {
		b.WriteByte('w')
		b.WriteString(strconv.FormatUint(words.Uint64()+1, 10))
		switch random.IntN(14) {
		case 0:
			b.WriteString(". ")
		case 1:
			b.WriteString(", ")
		default:
			b.WriteByte(' ')
		}
	}
	return strings.TrimSpace(b.String())
}
