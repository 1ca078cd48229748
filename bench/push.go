package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"svc/core/client"
	"svc/core/wire"
	"svc/deploy/local/process"
)

// pushLimit is the most that core may ever have resident while schemas are pushed over 100,000 articles, in MiB: 300 MB.
const pushLimit = 300e6 / (1 << 20)

// push deploys schemas over 100,000 entries, all of which are held against them, while an author goes on writing, and reads
// from the kernel what core kept resident since it was started for it.
func push(ctx context.Context, b *Bench) error {
	c, err := b.loadCorpus(ctx, b.corpusReleases(), b.corpusEach())
	if err != nil {
		return err
	}
	if err := b.restart(ctx, "core"); err != nil {
		return err
	}
	schema := string(articlesSchema())
	change := func(old, new string) jsontext.Value {
		return jsontext.Value(strings.Replace(schema, old, new, 1))
	}
	const title, day = `"title":{"type":"text","required":true}`, `"day":{"type":"date"},`
	for _, step := range []struct {
		name   string
		schema jsontext.Value
		misfit bool
	}{
		{"a diff that everything fits", change(title, `"title":{"type":"text","required":true,"maxLength":1000}`), false},
		{"a push that everything fits", change(title, `"title":{"type":"text","required":true,"maxLength":1000}`), false},
		{"a push that nothing fits", change(title, `"title":{"type":"text","required":true,"maxLength":3}`), true},
		{"a push that drops a field", change(day, ``), false},
		{"a push of the first version again", articlesSchema(), false},
	} {
		if err := b.pushOnce(ctx, c, step.name, step.schema, step.misfit); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
	}
	began := time.Now()
	if _, err := b.client.Translations(ctx, c.project, articles); err != nil {
		return err
	}
	b.Report.add("how far everything is translated", time.Since(began).Seconds(), Seconds)
	pid, err := b.stack.Pid("core")
	if err != nil {
		return err
	}
	r, err := process.ResidentOf(pid)
	if err != nil {
		return err
	}
	b.Report.add("core, most resident during all of it", r.Peak, Mebibytes).atMost(pushLimit).noted("snapshots that it wrote meanwhile included")
	return nil
}

// pushOnce pushes while an author writes, and checks what the push says.
func (b *Bench) pushOnce(ctx context.Context, c *corpus, name string, schema jsontext.Value, misfit bool) error {
	b.progress("%s", name)
	writing, stop := context.WithCancel(ctx)
	wrote := make(chan writes, 1)
	go func() { wrote <- b.keepWriting(writing, c) }()
	began := time.Now()
	plan, err := b.deploy(ctx, c, name, schema)
	took := time.Since(began)
	stop()
	w := <-wrote
	if err := w.err; err != nil {
		return err
	}
	switch {
	case misfit:
		if err := everyOneMisfits(err, len(c.ids)); err != nil {
			return err
		}
	case err != nil:
		return err
	case plan.InSync || plan.ContentErrorCount > 0:
		return fmt.Errorf("an unexpected plan: %+v", plan)
	}
	b.Report.add(name, took.Seconds(), Seconds).noted("an author wrote %d times meanwhile, at most in %.0f ms", len(w.took), milliseconds(slices.Max(w.took)))
	return nil
}

// everyOneMisfits checks that a push was refused because of what is published of every article, and the author's draft.
func everyOneMisfits(err error, articles int) error {
	var refused *client.Error
	if !errors.As(err, &refused) || !strings.Contains(refused.Detail, fmt.Sprintf(" in %d places", articles+1)) {
		return fmt.Errorf("not refused for %d articles and a draft: %w", articles, err)
	}
	if len(refused.Errors) != 100 {
		return fmt.Errorf("%d content errors are listed, not 100", len(refused.Errors))
	}
	return nil
}

func (b *Bench) deploy(ctx context.Context, c *corpus, name string, schema jsontext.Value) (wire.Plan, error) {
	if strings.HasPrefix(name, "a diff") {
		return b.client.DiffSchema(ctx, c.project, []jsontext.Value{schema})
	}
	return b.client.PushSchema(ctx, c.project, []jsontext.Value{schema}, true, name)
}

// writes are how long each of an author's writes took.
type writes struct {
	took []time.Duration
	err  error
}

// keepWriting stages edits of one article until ctx ends, at least one.
func (b *Bench) keepWriting(ctx context.Context, c *corpus) writes {
	var w writes
	for n := 0; n == 0 || ctx.Err() == nil; n++ {
		began := time.Now()
		_, err := b.client.PatchEntry(context.WithoutCancel(ctx), c.project, c.ids[0], client.Patch{Data: map[string]any{"views": n}})
		if err != nil {
			return writes{err: fmt.Errorf("writing meanwhile: %w", err)}
		}
		w.took = append(w.took, time.Since(began))
	}
	return w
}
