package bench

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"

	"svc/bench/node"
)

const (
	// previewsMemory is the most that core may have resident while it answers previews, in MiB: 300 MB.
	previewsMemory = 300e6 / (1 << 20)
	// previewsTime is the most that a read of a preview may take at the median, in milliseconds.
	previewsTime = 1_500
	// previewsAtOnce is how many reads are under way together, once each was measured alone.
	previewsAtOnce = 4
)

// previewsStaged is how many entries the set edits.
func (c Config) previewsStaged() int { return c.sized(5_000, 200) }

// previews reads with the preview token of a set of 5,000 edits, all over a corpus.
func previews(ctx context.Context, b *Bench) error {
	c, err := b.loadCorpus(ctx, b.corpusReleases(), b.corpusEach())
	if err != nil {
		return err
	}
	n := b.previewsStaged()
	b.progress("staging %s edits", thousands(n))
	set, err := importEdits(ctx, b, c, b.corpusSize()/n, n, func(number int) article {
		a := articleAt(number, 2)
		a.Slug = "staged-" + strconv.Itoa(number)
		return a
	})
	if err != nil {
		return err
	}
	made, err := b.client.CreatePreview(ctx, c.project, set, "", 0)
	if err != nil {
		return err
	}
	// What the imports left behind is no matter of previews.
	if err := b.restart(ctx, "core"); err != nil {
		return err
	}
	p := &previewsRun{Bench: b, core: b.node("core"), list: node.List(c.project, articles)}
	p.core.Token = made.Token
	kinds := previewKinds(b.corpusSize(), b.corpusSize()/n, n)
	for _, kind := range kinds {
		if err := p.alone(ctx, kind); err != nil {
			return fmt.Errorf("%s: %w", kind.name, err)
		}
	}
	if err := p.together(ctx, kinds); err != nil {
		return err
	}
	r, err := b.resident("core")
	if err != nil {
		return err
	}
	b.Report.add("core, most resident during all of it", r.Peak, Mebibytes).atMost(previewsMemory)
	return nil
}

// previewKind is one kind of read: what follows the path of the list, in variants, and whether each finds something.
type previewKind struct {
	name  string
	paths []string
	finds bool
}

// previewKinds are the reads that are measured, of a corpus of so many articles, of which staged are edited, each step-th.
func previewKinds(size, step, staged int) []previewKind {
	const variants = 5
	var category, one, frequent, rare, slug []string
	for i := range variants {
		number := i * staged / variants * step // of an article that is edited
		category = append(category, "?filter[category]="+categories[i])
		one = append(one, "?filter[views]="+strconv.Itoa(articleAt(number, 2).Views))
		frequent = append(frequent, "?q="+vocabulary[20+i]+"+"+vocabulary[30+i])
		rare = append(rare, "?q="+strconv.Itoa(number))
		slug = append(slug, "/staged-"+strconv.Itoa(number))
	}
	newest := []string{"/" + fmt.Sprintf("article-%06d", size-1)}
	return []previewKind{
		{"the first 25", []string{""}, true},
		{"the first 100", []string{"?limit=100"}, true},
		{"25 of a category", category, true},
		{"the one with a number", one, true},
		{"the first 25 by a date", []string{"?order=day", "?order=-day"}, true},
		{"the first 100 by title", []string{"?order=title&limit=100", "?order=-title&limit=100"}, true},
		{"25 of a category by a number", suffixed(category, "&order=-rating"), true},
		{"a search that finds many", frequent, true},
		{"a search that finds one", rare, true},
		{"a search that finds nothing", []string{"?q=nowhere", "?q=%22harbour+nowhere%22"}, false},
		{"an edited entry by slug", slug, true},
		{"a published entry by slug", newest, true},
	}
}

type previewsRun struct {
	*Bench
	core node.Node
	list string
}

// alone measures a kind of read while nothing else is read.
func (p *previewsRun) alone(ctx context.Context, kind previewKind) error {
	p.progress("%s", kind.name)
	var took []float64
	for i := range p.sized(15, 2) {
		began := time.Now()
		if err := p.read(ctx, kind, i); err != nil {
			return err
		}
		took = append(took, milliseconds(time.Since(began)))
	}
	p.Report.add(kind.name+", p50", percentile(took, 0.5), Milliseconds).atMost(previewsTime).noted("at most %.0f ms", took[len(took)-1])
	return nil
}

// together reads all variants of all kinds, several at a time.
func (p *previewsRun) together(ctx context.Context, kinds []previewKind) error {
	p.progress("reading all of it, %d at a time", previewsAtOnce)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(previewsAtOnce)
	for _, kind := range kinds {
		for i := range kind.paths {
			group.Go(func() error { return p.read(ctx, kind, i) })
		}
	}
	return group.Wait()
}

// read reads a variant of a kind, and checks whether it finds what it should.
func (p *previewsRun) read(ctx context.Context, kind previewKind, variant int) error {
	a, err := p.core.Get(ctx, p.list+kind.paths[variant%len(kind.paths)])
	if err != nil {
		return err
	}
	if found := !bytes.HasPrefix(a.Body, []byte(`{"data":[]`)); a.Status != http.StatusOK || found != kind.finds {
		return fmt.Errorf("an unexpected answer: %s", a)
	}
	return nil
}
