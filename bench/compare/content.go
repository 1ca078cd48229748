package compare

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// Author is who writes posts.
type Author struct {
	Slug string `json:"slug"`
	Name string `json:"name"`
	Bio  string `json:"bio"`
}

// Post is one of many. The body is about 1.5 KB of Markdown; the rating is 0 to 9.9, with many ties; no two posts were
// published at the same time; Author is the author's slug.
type Post struct {
	Slug        string    `json:"slug"`
	Title       string    `json:"title"`
	Body        string    `json:"body"`
	Category    string    `json:"category"`
	Rating      float64   `json:"rating"`
	Featured    bool      `json:"featured"`
	PublishedOn time.Time `json:"publishedOn"`
	Author      string    `json:"author"`
}

// Content is what every server is filled with. Posts come in the order of their slugs, in which they are also to be put
// into a server.
type Content struct {
	Authors []Author
	Posts   []Post
}

// authorCount is how many authors there are.
const authorCount = 200

// categories are none of the words of bodies.
var categories = strings.Fields("arts books cities design energy films games health music science travel weather")

// vocabulary are the words of titles and bodies, the frequent ones first. They all have six letters, so that none is a part
// of another: PocketBase finds parts of words, an edge and PostgreSQL whole ones.
var vocabulary = func() []string {
	const consonants, vowels, words = "bdfghjklmnprstvz", "aeiou", 5_000
	const syllables = len(consonants) * len(vowels)
	all := make([]string, words)
	for i := range all {
		n := i * 104_729 % (syllables * syllables * syllables) // a prime spreads them over all that three syllables make
		var word []byte
		for range 3 {
			word = append(word, consonants[n%len(consonants)], vowels[n/len(consonants)%len(vowels)])
			n /= syllables
		}
		all[i] = string(word)
	}
	return all
}()

// writer draws words as prose does: few of them make up much of a text.
type writer struct {
	random *rand.Rand
	zipf   *rand.Zipf
}

func newWriter(of, number int) writer {
	random := rand.New(rand.NewPCG(uint64(of), uint64(number)))
	return writer{random, rand.NewZipf(random, 1.1, 4, uint64(len(vocabulary)-1))}
}

func (w writer) words(n int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = vocabulary[w.zipf.Uint64()]
	}
	return strings.ToUpper(words[0][:1]) + strings.Join(words, " ")[1:]
}

// markdown is a heading and sections of so many letters or a little more.
func (w writer) markdown(heading string, letters int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", heading)
	for b.Len() < letters {
		switch w.random.IntN(6) {
		case 0:
			fmt.Fprintf(&b, "\n## %s\n", w.words(3))
		case 1:
			fmt.Fprintf(&b, "\n- %s\n- %s\n", w.words(5), w.words(6))
		default:
			fmt.Fprintf(&b, "\n%s, *%s*. %s.\n", w.words(9), w.words(2), w.words(14))
		}
	}
	return b.String()
}

// The first numbers of seeds: of posts, of authors, and of the order in which posts were published.
const (
	ofPosts = iota + 1
	ofAuthors
	ofDates
)

// Make makes so many posts and their authors, the same in every run.
func Make(posts int) *Content {
	c := &Content{}
	for n := range authorCount {
		w := newWriter(ofAuthors, n)
		c.Authors = append(c.Authors, Author{Slug: fmt.Sprintf("author-%03d", n), Name: w.words(2), Bio: w.words(20) + "."})
	}
	first := time.Date(2023, 1, 1, 8, 0, 0, 0, time.UTC)
	for n, place := range newWriter(ofDates, posts).random.Perm(posts) {
		w := newWriter(ofPosts, n)
		// A title stands in the body too: an edge searches all of a post, the others the body alone.
		title := w.words(5)
		c.Posts = append(c.Posts, Post{
			Slug: fmt.Sprintf("post-%05d", n), Title: title, Body: w.markdown(title, 1_450),
			Category: categories[w.random.IntN(len(categories))], Rating: float64(w.random.IntN(100)) / 10, Featured: w.random.IntN(3) == 0,
			PublishedOn: first.Add(time.Duration(place) * 97 * time.Minute), Author: c.Authors[w.random.IntN(authorCount)].Slug,
		})
	}
	return c
}
