package bench

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc/core/wire"
	"svc/deploy/local/process"
)

// setsMemory is the most that core may have resident while it works on a change set of 10,000 items, in MiB: 500 MB.
const setsMemory = 500e6 / (1 << 20)

// setsSize is how many items the large change sets have.
func (c Config) setsSize() int { return c.sized(10_000, 400) }

// sets takes change sets of 10,000 items from an import to a revert, and tells of each step how long it takes and what core has
// resident meanwhile.
func sets(ctx context.Context, b *Bench) error {
	project, err := b.project(ctx)
	if err != nil {
		return err
	}
	if _, err := b.client.PushSchema(ctx, project, []jsontext.Value{articlesSchema()}, false, ""); err != nil {
		return err
	}
	s := &setsRun{Bench: b, corpus: &corpus{project: project}, size: b.setsSize()}
	for _, step := range []tableStep{
		{"import of new entries", s.create},
		{"validate", s.validate},
		{"diff, all pages", s.diff},
		{"publish", s.publish},
		{"import of an edit of each", s.edit},
		{"diff of the edits, all pages", s.diff},
		{"import of other edits of every second one", s.overtake},
		{"publish of these", s.publishOther},
		{"rebase, dry run", s.plan},
		{"rebase", s.rebase},
		{"validate of the rebased set", s.validate},
		{"publish of the rebased set", s.publish},
		{"revert of its release", s.revert},
		{"validate of the revert", s.validate},
		{"publish of the revert", s.publish},
	} {
		if err := s.step(ctx, step); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
	}
	b.Report.add("core, most resident in any step", s.most, Mebibytes).atMost(setsMemory).noted("%s", s.mostIn)
	return s.compare(ctx)
}

// setsRun is the large sets of one project. The steps work on set, but for those that say other.
type setsRun struct {
	*Bench
	corpus     *corpus
	size       int
	set, other string

	most   float64 // that core had resident, in MiB
	mostIn string  // the step in which that was
}

// step measures a step. Edges have time to follow a release before the next one.
func (s *setsRun) step(ctx context.Context, step tableStep) error {
	s.progress("%s", step.name)
	pid, err := s.stack.Pid("core")
	if err != nil {
		return err
	}
	if err := process.ResetPeak(pid); err != nil {
		return err
	}
	began := time.Now()
	if err := step.do(ctx); err != nil {
		return err
	}
	took := time.Since(began)
	r, err := process.ResidentOf(pid)
	if err != nil {
		return err
	}
	if r.Peak > s.most {
		s.most, s.mostIn = r.Peak, step.name
	}
	s.Report.add(step.name, took.Seconds(), Seconds).noted("core has at most %.0f MiB resident", r.Peak)
	return s.awaitSettled(ctx, s.corpus.project, articles, s.corpus.releases, time.Minute)
}

func (s *setsRun) create(ctx context.Context) (err error) {
	s.set, err = importRows(ctx, s.Bench, s.corpus, articlesFrom(0, s.size))
	return err
}

func (s *setsRun) edit(ctx context.Context) (err error) {
	s.set, err = importEdits(ctx, s.Bench, s.corpus, 1, s.size, func(number int) map[string]any {
		summary := articleAt(number, 2).Summary
		return map[string]any{"summary": summary, "body": articleAt(number, 1).Body + "\n\n" + summary}
	})
	return err
}

func (s *setsRun) overtake(ctx context.Context) (err error) {
	s.other, err = importEdits(ctx, s.Bench, s.corpus, 2, s.size/2, func(number int) map[string]any {
		a := articleAt(number, 3)
		return map[string]any{"title": a.Title, "views": a.Views}
	})
	return err
}

func (s *setsRun) validate(ctx context.Context) error {
	v, err := s.client.Validate(ctx, s.corpus.project, s.set)
	if err == nil && !v.Valid {
		err = errors.New(v.Detail)
	}
	return err
}

func (s *setsRun) diff(ctx context.Context) error {
	items, _, err := s.client.RecentDiff(ctx, s.corpus.project, s.set, 0)
	changed := 0
	for _, i := range items {
		changed += min(1, len(i.Changes))
	}
	if err == nil && changed != s.size {
		err = fmt.Errorf("%d of %d items change something", changed, s.size)
	}
	return err
}

func (s *setsRun) publish(ctx context.Context) error { return s.publishSet(ctx, s.set, s.size) }

func (s *setsRun) publishOther(ctx context.Context) error {
	return s.publishSet(ctx, s.other, s.size/2)
}

func (s *setsRun) publishSet(ctx context.Context, set string, items int) error {
	out, err := s.client.Publish(ctx, s.corpus.project, set)
	if err != nil {
		return err
	}
	s.corpus.releases = *out.ChangeSet.ReleaseNumber
	if len(out.Entries) != items {
		return fmt.Errorf("%d of %d entries are published", len(out.Entries), items)
	}
	return nil
}

func (s *setsRun) plan(ctx context.Context) error   { return s.rebaseSet(ctx, true) }
func (s *setsRun) rebase(ctx context.Context) error { return s.rebaseSet(ctx, false) }

func (s *setsRun) rebaseSet(ctx context.Context, dryRun bool) error {
	out, err := s.client.Rebase(ctx, s.corpus.project, s.set, wire.Rebase{DryRun: wire.Some(dryRun)})
	if err != nil {
		return err
	}
	replayed := 0
	for _, i := range out.Items {
		replayed += len(i.Replayed)
	}
	if len(out.Items) != s.size/2 || replayed != s.size {
		return fmt.Errorf("%d edits of %d entries are replayed, not two of each of %d", replayed, len(out.Items), s.size/2)
	}
	return nil
}

func (s *setsRun) revert(ctx context.Context) error {
	made, err := s.client.RevertRelease(ctx, s.corpus.project, strconv.FormatUint(s.corpus.releases, 10), "", false)
	s.set = string(made.ID)
	return err
}

// compare looks at entries: of the edits, those of the other set alone are left.
func (s *setsRun) compare(ctx context.Context) error {
	for _, number := range []int{0, 1, s.size - 2, s.size - 1} {
		want := articleAt(number, 1)
		if number%2 == 0 {
			other := articleAt(number, 3)
			want.Title, want.Views = other.Title, other.Views
		}
		e, err := s.client.Entry(ctx, s.corpus.project, s.corpus.ids[number])
		if err != nil {
			return err
		}
		var got article
		if err := json.Unmarshal(e.Published.Fields, &got); err != nil {
			return err
		}
		if got != want {
			return fmt.Errorf("after the revert, entry %d is %+v, not %+v", number, got, want)
		}
	}
	return nil
}
