package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc/bench/load"
	"svc/bench/node"
	"svc/core/client"
)

// republished publishes each of a hundred articles again and again, and measures lists of them against lists of as many that
// were published twice: at the head, at the first release and in the middle.
func (b *Bench) republished(ctx context.Context) error {
	times := b.sized(300, 6)
	fresh, err := b.hundred(ctx, "twice", 2)
	if err != nil {
		return err
	}
	b.progress("publishing a hundred articles %d times", times)
	often, err := b.hundred(ctx, "often", times)
	if err != nil {
		return err
	}
	for _, at := range []struct {
		name        string
		fresh, same string
	}{{"the head", "", ""}, {"the first release", "?at=1", "?at=1"}, {"a middle release", "?at=1", fmt.Sprintf("?at=%d", times/2)}} {
		name := fmt.Sprintf("list at %s, each entry published %d times", at.name, times)
		base := traffic{name: name, requests: []load.Request{ok(node.List(fresh, articles) + at.fresh)}}
		made := traffic{name: name, requests: []load.Request{ok(node.List(often, articles) + at.same)}}
		if err := b.slower(ctx, made, base); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// slower measures two kinds of reads in turns, and reports how much longer the first takes.
func (b *Bench) slower(ctx context.Context, made, base traffic) error {
	edge := strings.TrimPrefix(b.stack.URL(cached), "http://")
	mine, other, err := b.inTurns(ctx, edge, made, edge, base)
	if err != nil {
		return err
	}
	b.Report.add(made.name, other.PerSecond/mine.PerSecond, Ratio).atMost(2).
		noted("the time of entries published twice; %.0f/s and %.0f/s", mine.PerSecond, other.PerSecond)
	return nil
}

// hundred makes a project whose one hundred articles are all published so many times, and waits until the edges have it.
func (b *Bench) hundred(ctx context.Context, slug string, times int) (project string, err error) {
	p, err := b.client.CreateProject(ctx, b.account.Organization, "Republished", "bench-"+slug)
	if err != nil {
		return "", err
	}
	if _, err := b.client.PushSchema(ctx, p.Slug, []jsontext.Value{articlesSchema()}, false, ""); err != nil {
		return "", err
	}
	c := &corpus{project: p.Slug}
	for version := 1; version <= times; version++ {
		var lines bytes.Buffer
		for number := range 100 {
			if err := json.MarshalWrite(&lines, map[string]any{"slug": articleAt(number, 1).Slug, "data": articleAt(number, version)}); err != nil {
				return "", err
			}
			lines.WriteByte('\n')
		}
		made, err := b.client.ImportLines(ctx, c.project, articles, &lines, client.ImportOptions{})
		if err != nil {
			return "", err
		}
		if len(made.Entries) != 100 || version > 1 && made.Created > 0 {
			return "", errors.New("the import did not update the articles")
		}
		if err := c.publish(ctx, b.client, string(*made.ChangeSet)); err != nil {
			return "", err
		}
	}
	return c.project, b.awaitSettled(ctx, c.project, articles, c.releases, time.Minute)
}
