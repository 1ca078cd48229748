package bench

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc/bench/node"
	"svc/core/client"
	"svc/core/wire"
)

const articles = "articles"

func articlesSchema() jsontext.Value {
	return jsontext.Value(`{"name":"articles","kind":"collection","visibility":"public","titleField":"title","fields":{
		"title":{"type":"text","required":true},"slug":{"type":"slug","from":"title"},
		"summary":{"type":"text"},"category":{"type":"text"},"views":{"type":"number","integer":true},"rating":{"type":"number"},
		"featured":{"type":"boolean"},"day":{"type":"date"},"body":{"type":"markdown"}}}`)
}

// article is an entry of about 2 KB.
type article struct {
	Title    string  `json:"title"`
	Slug     string  `json:"slug"`
	Summary  string  `json:"summary"`
	Category string  `json:"category"`
	Views    int     `json:"views"`
	Rating   float64 `json:"rating"`
	Featured bool    `json:"featured"`
	Day      string  `json:"day"`
	Body     string  `json:"body"`
}

// vocabulary makes prose that compresses about as well as prose does.
var vocabulary = strings.Fields(`harbour lantern winter copper ledger orchard signal meadow granite thread compass ferry
	kettle timber archive canal beacon pewter willow quarry saddle tunnel velvet anchor basalt cinder dial ember fathom
	gable hollow ingot jetty kiln loom mortar nettle ochre parapet quill rafter shingle trestle umber vellum wharf yarrow
	the the the of of and and in to a a with from under over between after before until because where which who never
	always slowly quietly bright narrow distant heavy early late small broad silent ancient careful borrowed mended`)

func prose(random *rand.Rand, letters int) string {
	var b strings.Builder
	for b.Len() < letters {
		b.WriteString(vocabulary[random.IntN(len(vocabulary))])
		switch random.IntN(14) {
		case 0:
			b.WriteString(". ")
		case 1:
			b.WriteString(".\n\n")
		default:
			b.WriteByte(' ')
		}
	}
	return strings.TrimSpace(b.String())
}

func articleAt(number, version int) article {
	random := rand.New(rand.NewPCG(uint64(number), uint64(version)))
	a := article{
		Title: fmt.Sprintf("%s %d", prose(random, 30), number), Slug: fmt.Sprintf("article-%06d", number),
		Summary: prose(random, 180), Views: random.IntN(1_000_000), Featured: random.IntN(10) == 0,
		Day:  dayAt(random.IntN(days)),
		Body: prose(random, 1_600),
	}
	a.Category, a.Rating = categories[random.IntN(len(categories))], float64(random.IntN(100))/10
	return a
}

// categories are what articles are about, one each.
var categories = vocabulary[:12]

// days is how many days articles are spread over.
const days = 2_000

func dayAt(n int) string { return time.Date(2020, 1, 1+n, 0, 0, 0, 0, time.UTC).Format(time.DateOnly) }

// corpus is a project with many articles.
type corpus struct {
	project  string
	releases uint64
	slugs    []string
	ids      []string
}

// corpusReleases is how many releases make up a whole corpus, and corpusEach how many articles each of them has.
func (c Config) corpusReleases() int { return c.sized(10, 3) }
func (c Config) corpusEach() int     { return c.sized(10_000, 600) }

// corpusSize is how many articles a whole corpus has.
func (c Config) corpusSize() int { return c.corpusReleases() * c.corpusEach() }

// loadCorpus publishes articles, a release of so many at a time.
func (b *Bench) loadCorpus(ctx context.Context, releases, each int) (*corpus, error) {
	return loadRows(ctx, b, articlesSchema(), releases, func(c *corpus) iter.Seq[article] { return articlesFrom(len(c.slugs), each) })
}

// loadRows publishes releases of the entries that rows makes for each, in a collection of articles with this schema.
func loadRows[T any](ctx context.Context, b *Bench, schema jsontext.Value, releases int, rows func(c *corpus) iter.Seq[T]) (*corpus, error) {
	project, err := b.project(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := b.client.PushSchema(ctx, project, []jsontext.Value{schema}, false, ""); err != nil {
		return nil, err
	}
	c := &corpus{project: project}
	b.progress("publishing %d releases of articles", releases)
	var importing, publishing time.Duration
	for range releases {
		began := time.Now()
		set, err := importRows(ctx, b, c, rows(c))
		if err != nil {
			return nil, err
		}
		importing += time.Since(began)
		began = time.Now()
		if err := c.publish(ctx, b.client, set); err != nil {
			return nil, err
		}
		publishing += time.Since(began)
	}
	b.Report.add("articles", float64(len(c.slugs)), Count).noted("in %d releases", releases)
	b.Report.add("import, a release", importing.Seconds()/float64(releases), Seconds)
	b.Report.add("publish, a release", publishing.Seconds()/float64(releases), Seconds)
	return c, b.awaitSettled(ctx, project, articles, c.releases, 5*time.Minute)
}

func (c *corpus) publish(ctx context.Context, api *client.Client, set string) error {
	out, err := api.Publish(ctx, c.project, set)
	if err == nil {
		c.releases = *out.ChangeSet.ReleaseNumber
	}
	return err
}

// articlesFrom makes n articles.
func articlesFrom(first, n int) iter.Seq[article] {
	return func(yield func(article) bool) {
		for number := first; number < first+n && yield(articleAt(number, 1)); number++ {
		}
	}
}

// importRows stages new articles, streamed as they are made.
func importRows[T any](ctx context.Context, b *Bench, c *corpus, rows iter.Seq[T]) (set string, err error) {
	made, err := importLines(ctx, b, c, client.ImportOptions{}, func(yield func(id string, row T) bool) {
		for row := range rows {
			if !yield("", row) {
				return
			}
		}
	})
	if err != nil {
		return "", err
	}
	if made.Created != len(made.Entries) {
		return "", fmt.Errorf("the import made %d of %d entries", made.Created, len(made.Entries))
	}
	for _, row := range made.Entries {
		c.slugs, c.ids = append(c.slugs, *row.Slug), append(c.ids, string(*row.Entry))
	}
	return string(*made.ChangeSet), nil
}

// importLines imports what is to become of articles by their ids, and new ones without, streamed as they are made.
func importLines[T any](ctx context.Context, b *Bench, c *corpus, o client.ImportOptions, rows iter.Seq2[string, T]) (wire.Imported, error) {
	type line struct {
		ID   string `json:"id,omitzero"`
		Data T      `json:"data"`
	}
	reader, writer := io.Pipe()
	defer reader.Close()
	go func() {
		out := bufio.NewWriterSize(writer, 1<<16)
		for id, row := range rows {
			if err := json.MarshalWrite(out, line{id, row}); err != nil {
				writer.CloseWithError(err)
				return
			}
			out.WriteByte('\n')
		}
		writer.CloseWithError(out.Flush())
	}()
	return b.client.ImportLines(ctx, c.project, articles, reader, o)
}

// importEdits stages an edit of so many articles in a new change set: of every step-th one, from the first.
func importEdits[T any](ctx context.Context, b *Bench, c *corpus, step, n int, edit func(number int) T) (set string, err error) {
	made, err := b.client.CreateChangeSet(ctx, c.project, "Edits", "")
	if err != nil {
		return "", err
	}
	set = string(made.ID)
	out, err := importLines(ctx, b, c, client.ImportOptions{ChangeSetID: set}, func(yield func(string, T) bool) {
		for i := range n {
			if number := i * step; !yield(c.ids[number], edit(number)) {
				return
			}
		}
	})
	if err == nil && out.Updated != n {
		err = fmt.Errorf("the import changed %d of %d entries", out.Updated, n)
	}
	return set, err
}

// stir edits, deletes, unpublishes, renames and rearranges some articles in releases of their own, so that history and
// editorial order have something in them.
func (b *Bench) stir(ctx context.Context, c *corpus) error {
	size := len(c.ids) / 200
	each := func(title string, first int, write func(set, id string, number int) error) error {
		set, err := b.client.CreateChangeSet(ctx, c.project, title, "")
		if err != nil {
			return err
		}
		for number := first; number < first+size; number++ {
			if err := write(string(set.ID), c.ids[number], number); err != nil {
				return err
			}
		}
		return c.publish(ctx, b.client, string(set.ID))
	}
	err := each("Edits", 0, func(set, id string, number int) error {
		changed := articleAt(number, 2)
		_, err := b.client.PatchEntry(ctx, c.project, id, client.Patch{Data: map[string]any{"body": changed.Body, "views": changed.Views}, ChangeSetID: set})
		return err
	})
	if err != nil {
		return err
	}
	if err := each("Deletions", size/2, func(set, id string, _ int) error {
		_, err := b.client.DeleteEntry(ctx, c.project, id, set)
		return err
	}); err != nil {
		return err
	}
	if err := each("Withdrawals", 2*size, func(set, id string, _ int) error {
		_, err := b.client.UnpublishEntry(ctx, c.project, id, set)
		return err
	}); err != nil {
		return err
	}
	if err := each("New addresses", 4*size, func(set, id string, number int) error {
		slug := fmt.Sprintf("moved-%06d", number)
		_, err := b.client.PatchEntry(ctx, c.project, id, client.Patch{Data: struct{}{}, Slug: &slug, ChangeSetID: set})
		return err
	}); err != nil {
		return err
	}
	return b.client.Reorder(ctx, c.project, articles, c.ids[6*size:6*size+min(size, 50)])
}

// settle waits until edges serve everything of the corpus, the editorial order too: their lists start alike.
func (b *Bench) settle(ctx context.Context, c *corpus, nodes []node.Node) error {
	if err := b.awaitHead(ctx, nodes, c.project, articles, c.releases, time.Minute); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, time.Minute, fmt.Errorf("not within a minute"))
	defer cancel()
	nodes = append(nodes[:len(nodes):len(nodes)], b.node("core"))
	return node.Until(ctx, func(ctx context.Context) error {
		answers, err := node.Ask(ctx, nodes, node.List(c.project, articles)+"?limit=100")
		if err != nil {
			return err
		}
		return node.Same(answers)
	})
}
