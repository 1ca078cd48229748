package readtest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Replay runs every script, each on a site of its own.
func Replay(t *testing.T, open func(t *testing.T) Site) {
	all, err := load()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		t.Run(s.name, func(t *testing.T) {
			p := player{site: open(t), state: newState()}
			for _, b := range s.blocks {
				got, err := p.play(t.Context(), &b)
				if err != nil {
					t.Fatalf("line %d: %v", b.line, err)
				}
				if !slices.Equal(got, b.want) {
					t.Errorf("line %d: %s %s\n got:\n%s\nwant:\n%s", b.line, b.call.Method, b.call.Target, strings.Join(got, "\n"), strings.Join(b.want, "\n"))
				}
			}
		})
	}
}

// rewrite plays a script and returns its text with the answers that came.
func (s *script) rewrite(ctx context.Context, site Site) (string, error) {
	p := player{site: site, state: newState()}
	var out strings.Builder
	for i, b := range s.blocks {
		got, err := p.play(ctx, &b)
		if err != nil {
			return "", fmt.Errorf("line %d: %w", b.line, err)
		}
		if i > 0 {
			out.WriteByte('\n')
		}
		for _, line := range b.text {
			if line == "---" {
				break
			}
			out.WriteString(line + "\n")
		}
		if b.call != nil {
			out.WriteString("---\n" + strings.Join(got, "\n") + "\n")
		}
	}
	return out.String(), nil
}

type player struct {
	site         Site
	state        *state
	cursor, etag string
	body         string // decoded, of the answer before
}

// play makes a block's changes, or its call; then it returns the lines that describe the answer.
func (p *player) play(ctx context.Context, b *block) ([]string, error) {
	if err := p.state.change(ctx, p.site, b.changes); err != nil {
		return nil, err
	}
	if b.call == nil {
		return nil, nil
	}
	call := Call{Method: b.call.Method, Target: p.fill(b.call.Target), Headers: slices.Clone(b.call.Headers)}
	for i := range call.Headers {
		call.Headers[i].Value = p.fill(call.Headers[i].Value)
	}
	answer, err := p.site.Do(ctx, call)
	if err != nil {
		return nil, err
	}
	return p.describe(answer)
}

var variable = regexp.MustCompile(`\{(cursor|etag|key [a-z-]+)\}`)

func (p *player) fill(s string) string {
	return variable.ReplaceAllStringFunc(s, func(v string) string {
		switch name := v[1 : len(v)-1]; name {
		case "cursor":
			return p.cursor
		case "etag":
			return p.etag
		default:
			return secret(name[len("key "):]).Text()
		}
	})
}

// compared are the headers that a read decides, in the order of description.
var compared = []string{
	"allow", "access-control-allow-origin", "access-control-allow-methods", "access-control-allow-headers",
	"access-control-expose-headers", "access-control-max-age", "cache-control", "content-encoding", "content-location",
	"content-type", "etag", "retry-after", "svc-release", "vary", "www-authenticate", "x-robots-tag",
}

var (
	requestID  = regexp.MustCompile(`,"requestId":"[^"]*"`)
	nextCursor = regexp.MustCompile(`"nextCursor":"([^"]*)"`)
)

func (p *player) describe(a Answer) ([]string, error) {
	lines := []string{strconv.Itoa(a.Status)}
	for _, name := range compared {
		if value, found := a.Headers[name]; found {
			lines = append(lines, name+": "+value)
		}
	}
	body, err := decode(a.Headers["content-encoding"], a.Body)
	if err != nil {
		return nil, err
	}
	text := requestID.ReplaceAllString(string(body), "")
	p.etag, p.cursor = a.Headers["etag"], ""
	if m := nextCursor.FindStringSubmatch(text); m != nil {
		p.cursor = m[1]
	}
	switch {
	case text == "":
		return lines, nil
	case text == p.body:
		return append(lines, "(the same body)"), nil
	}
	p.body = text
	return append(lines, text), nil
}

func decode(coding string, body []byte) ([]byte, error) {
	if len(body) == 0 {
		return nil, nil
	}
	switch coding {
	case "gzip":
		r, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		return io.ReadAll(r)
	case "br":
		return io.ReadAll(brotli.NewReader(bytes.NewReader(body)))
	case "zstd":
		r, err := zstd.NewReader(bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		defer r.Close()
		return io.ReadAll(r)
	case "":
		return body, nil
	}
	return nil, fmt.Errorf("a body in the coding %q", coding)
}
