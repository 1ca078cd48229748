package inprocess

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"time"

	"svc/shared/problem"
	"svc/shared/read"
	"svc/shared/read/readtest"
)

// reader is something that answers public reads.
type reader struct {
	name   string
	engine *read.Engine
}

func (r reader) get(ctx context.Context, target string, headers []problem.Header) (readtest.Answer, error) {
	answer, err := readtest.Serve(ctx, r.engine, readtest.Call{Method: http.MethodGet, Target: target, Headers: headers})
	if err != nil {
		return answer, fmt.Errorf("%s: %w", r.name, err)
	}
	return answer, nil
}

// check lets the edges catch up and holds what core and they answer against the model.
func (p *play) check() error {
	for _, e := range p.edges {
		if err := errors.Join(e.back(), e.level(p.ctx)); err != nil {
			return err
		}
	}
	return p.compare(false)
}

// finish checks everything: all releases, and the state of the stores.
func (p *play) finish() error {
	for _, e := range p.edges {
		if err := errors.Join(e.back(), e.level(p.ctx)); err != nil {
			return err
		}
		if err := e.agrees(p.ctx); err != nil {
			return err
		}
	}
	return p.compare(true)
}

func (p *play) compare(all bool) error {
	readers := []reader{{"core", p.editor.engine}}
	for _, e := range p.edges {
		readers = append(readers, reader{e.name, e.reader()})
	}
	model := reader{"the model", &read.Engine{Store: p.model, Keys: p.model, Now: time.Now, LocalOrigins: true}}
	c := comparison{p, readers, model, p.callers()}
	pins := []uint64{0}
	for pin := range p.head {
		if all || p.random.Uint64N(p.head) == 0 {
			pins = append(pins, pin+1)
		}
	}
	if err := c.same("/collections", ""); err != nil {
		return err
	}
	for _, pin := range pins {
		if err := c.at(pin); err != nil {
			return err
		}
	}
	c.readers = readers[:1] // an edge passes on what it does not know of
	return c.same("/collections/posts/entries", fmt.Sprint("?at=", p.head+1))
}

// comparison asks everyone the same, each question as a caller drawn by chance.
type comparison struct {
	*play
	readers []reader
	model   reader
	callers [][]problem.Header
}

// callers are those who may ask: anyone, pages of some origins, holders of keys.
func (p *play) callers() [][]problem.Header {
	out := [][]problem.Header{nil, {{Name: "Origin", Value: "https://a.example"}}, {{Name: "Origin", Value: "https://b.example"}}}
	for _, k := range p.keys {
		out = append(out, []problem.Header{{Name: "Authorization", Value: "Bearer " + k.text}})
	}
	return out
}

func (c *comparison) at(pin uint64) error {
	and := ""
	if pin > 0 {
		and = fmt.Sprintf("&at=%d", pin)
	}
	if len(c.settings.Locales) > 0 && c.random.IntN(3) == 0 {
		and += "&locale=" + pick(c.play, c.settings.Locales)
	}
	for _, f := range c.forms {
		base := "/collections/" + f.name
		if err := c.same(base+"/singleton", "?"+and); err != nil {
			return err
		}
		if err := c.walk(base+"/entries", and); err != nil {
			return err
		}
		if err := c.walk(base+"/entries", and+c.conditions(f, pin)); err != nil {
			return err
		}
		for _, ref := range c.refs(f.name) {
			if c.random.IntN(3) > 0 {
				continue
			}
			if err := c.same(base+"/entries/"+ref, "?"+and); err != nil {
				return err
			}
		}
	}
	return nil
}

// refs are all ids and slugs that entries of a collection were published with, an id of another, and a slug that no entry has.
func (c *comparison) refs(collection string) []string {
	refs := []string{"unknown"}
	for _, id := range c.born {
		if !slices.Contains(refs, id) && (c.home[id] == collection || len(refs) == 1) {
			refs = append(refs, id)
		}
		for _, live := range c.then {
			if doc := live[id]; doc != nil && doc.slug != "" && doc.collection == collection && !slices.Contains(refs, doc.slug) {
				refs = append(refs, doc.slug)
			}
		}
	}
	return refs
}

// same asks one question.
func (c *comparison) same(path, query string) error {
	_, err := c.ask(path, query, "", pick(c.play, c.callers))
	return err
}

// walk reads a list to its end, in pages of a size drawn by chance. Each page of core and of the edges continues one that
// another of them gave; the model's continue its own.
func (c *comparison) walk(path, and string) error {
	caller := pick(c.play, c.callers)
	query := "?limit=" + strconv.Itoa(1+c.random.IntN(9)) + and
	cursor, model := "", ""
	for {
		answers, err := c.ask(path, query+cursor, query+model, caller)
		if err != nil {
			return err
		}
		theirs, own := next(answers[1]), next(answers[0])
		if theirs == "" {
			return nil
		}
		cursor, model = "&cursor="+theirs, "&cursor="+own
	}
}

var (
	cursors   = regexp.MustCompile(`"nextCursor":"([^"]*)"`)
	continued = regexp.MustCompile(`&cursor=[^&]*`)
)

func next(a readtest.Answer) string {
	if m := cursors.FindSubmatch(a.Body); m != nil {
		return string(m[1])
	}
	return ""
}

// ask asks everyone and compares: core and the edges in every byte; the model too, but for cursors, which have ranks in
// them, and the tags of pages that have cursors. The model's answer comes first. It may be asked otherwise.
func (c *comparison) ask(path, query, modelQuery string, caller []problem.Header) ([]readtest.Answer, error) {
	if modelQuery == "" {
		modelQuery = query
	}
	target := "/v1/projects/" + c.project.Slug + path
	want, err := c.model.get(c.ctx, target+modelQuery, caller)
	if err != nil {
		return nil, err
	}
	answers := []readtest.Answer{want}
	for _, r := range c.readers {
		got, err := r.get(c.ctx, target+query, caller)
		if errors.Is(err, readtest.ErrForwarded) && !c.settings.PublicAPIEnabled {
			continue // an edge asks core about a project that may not exist for the caller
		}
		if err != nil {
			return nil, err
		}
		answers = append(answers, got)
		if err := differ(answers[1], got, false); err != nil {
			return nil, fmt.Errorf("%s%s with %v: %s and core: %w", path, query, caller, r.name, err)
		}
	}
	if err := differ(want, answers[1], true); err != nil {
		return nil, fmt.Errorf("%s%s with %v: the model and core: %w", path, query, caller, err)
	}
	return answers, nil
}

// differ tells how an answer is not the one that was wanted.
func differ(want, got readtest.Answer, model bool) error {
	a, b := want.Body, got.Body
	paged := next(want) != "" || next(got) != ""
	if model {
		mask := []byte(`"nextCursor":"…"`)
		a, b = cursors.ReplaceAll(a, mask), cursors.ReplaceAll(b, mask)
	}
	if want.Status != got.Status || !bytes.Equal(a, b) {
		return fmt.Errorf("%d %.4000s\nis not\n%d %.4000s", want.Status, a, got.Status, b)
	}
	for name, value := range want.Headers {
		other := got.Headers[name]
		if model && name == "content-location" {
			value, other = continued.ReplaceAllString(value, ""), continued.ReplaceAllString(other, "")
		}
		if other != value && !(model && paged && name == "etag") {
			return fmt.Errorf("header %s: %q is not %q", name, value, other)
		}
	}
	if len(want.Headers) != len(got.Headers) {
		return fmt.Errorf("headers %v are not %v", want.Headers, got.Headers)
	}
	return nil
}
