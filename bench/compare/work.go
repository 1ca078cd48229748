package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// pageRows is how many rows a list has.
const pageRows = 25

// Work is one of six kinds of reads. Its variants differ in the values they look for alone.
type Work struct {
	// Letter is "a" to "f".
	Letter   string
	About    string
	Variants []Variant
}

// Variant is one read: what it looks for, and the posts that answer it. Of the values, those of its kind are set.
type Variant struct {
	Slug     string    // a: of the post
	Category string    // c
	Rating   float64   // c: the most that a post may have
	Words    [2]string // e: both are in the text
	// Page is the page of the list by newest date, counted from 0, and After the last post of the page before, nil for the
	// first page: d and f.
	Page  int
	After *Post
	// Rows are the posts to find, in order.
	Rows []Post
}

// Work makes all variants. Every order is total: dates are unique, and ties of ratings go by slug. An edge orders ties by
// entry id, which is the same, since posts are created in the order of their slugs.
func (c *Content) Work() []Work {
	newest := slices.SortedFunc(slices.Values(c.Posts), func(a, b Post) int { return b.PublishedOn.Compare(a.PublishedOn) })
	pages := (len(newest) + pageRows - 1) / pageRows
	middle := pages / 2
	return []Work{
		{"a", "one entry by slug", c.bySlug(500)},
		{"b", "first 25 by newest date", []Variant{{Rows: firstPage(newest)}}},
		{"c", "one category, featured, rating at most so, by rating", c.rated()},
		{"d", "25 rows around the middle by newest date", paged(newest, max(0, middle-50), min(pages, middle+50))},
		{"e", "two words in the text, newest first", searched(newest, 100)},
		{"f", "25 rows by newest date with the author included", paged(newest, 0, min(pages, 20))},
	}
}

func firstPage(posts []Post) []Post { return posts[:min(len(posts), pageRows)] }

// bySlug are n posts, spread over all.
func (c *Content) bySlug(n int) []Variant {
	var all []Variant
	for i := range min(n, len(c.Posts)) {
		post := c.Posts[i*len(c.Posts)/min(n, len(c.Posts))]
		all = append(all, Variant{Slug: post.Slug, Rows: []Post{post}})
	}
	return all
}

// rated are 42 ratings in each of 12 categories.
func (c *Content) rated() []Variant {
	best := slices.SortedFunc(slices.Values(c.Posts), func(a, b Post) int {
		return cmp.Or(cmp.Compare(a.Rating, b.Rating), strings.Compare(a.Slug, b.Slug))
	})
	var all []Variant
	for _, category := range categories {
		var rows []Post
		for _, p := range best {
			if p.Category == category && p.Featured {
				rows = append(rows, p)
			}
		}
		for r := range 42 {
			most := float64(20+r) / 10
			within := slices.IndexFunc(rows, func(p Post) bool { return p.Rating > most })
			if within < 0 {
				within = len(rows)
			}
			all = append(all, Variant{Category: category, Rating: most, Rows: firstPage(rows[:within])})
		}
	}
	return all
}

// paged are pages of a list, from the one to before the other.
func paged(posts []Post, from, to int) []Variant {
	var all []Variant
	for page := from; page < to; page++ {
		v := Variant{Page: page, Rows: firstPage(posts[page*pageRows:])}
		if page > 0 {
			v.After = &posts[page*pageRows-1]
		}
		all = append(all, v)
	}
	return all
}

// searched are up to n pairs of words that more posts have than fill a page, but few of all: one to two pages.
func searched(posts []Post, n int) []Variant {
	having := map[string][]int{} // the places of the posts that have a word, in order
	for i, p := range posts {
		text := strings.FieldsFunc(strings.ToLower(p.Body), func(r rune) bool { return !unicode.IsLetter(r) })
		slices.Sort(text)
		for _, word := range slices.Compact(text) {
			having[word] = append(having[word], i)
		}
	}
	var all []Variant
	for i := 1; i < len(vocabulary) && len(all) < n; i++ {
		a, b := vocabulary[i-1], vocabulary[i]
		var rows []Post
		for _, place := range having[a] {
			if _, both := slices.BinarySearch(having[b], place); both {
				rows = append(rows, posts[place])
			}
		}
		if len(rows) >= pageRows && len(rows) <= 2*pageRows {
			all = append(all, Variant{Words: [2]string{a, b}, Rows: firstPage(rows)})
		}
	}
	return all
}

// String is what tells a variant from the others of its kind.
func (v Variant) String() string {
	switch {
	case v.Slug != "":
		return v.Slug
	case v.Category != "":
		return fmt.Sprintf("%s, rating at most %.1f", v.Category, v.Rating)
	case v.Words[0] != "":
		return strings.Join(v.Words[:], " and ")
	}
	return fmt.Sprintf("page %d", v.Page+1)
}
