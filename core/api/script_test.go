package api_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the answers that come into the scripts")

// TestScripts replays the exchanges in testdata/*.txt. Blocks are separated by empty lines, comments begin with #:
//
//	key NAME {…}                       mints a key of the organization with this body
//	POST /v1/projects/site/change-sets as NAME
//	{"title":"Spring"}
//	---
//	201
//	{"data":{"id":"{chs 1}", …
//
// In answers ids, secrets, hashes and present times are replaced by names: the first id of an entry is {ent 1} from
// then on, in requests too; {cursor} is the nextCursor of the answer before. Lines before the body such as
// "content-type: text/plain" are headers. "as owner" has every scope; without "as" no credential is sent.
func TestScripts(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txt"), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			b := newBed(t)
			s := &script{bed: b, keys: map[string]string{"owner": b.owner}, names: map[string]string{}, values: map[string]string{}}
			got := s.play(string(text))
			if got == string(text) {
				return
			}
			if *update {
				b.ok(os.WriteFile(name, []byte(got), 0o644))
				return
			}
			was, is := strings.Split(string(text), "\n"), strings.Split(got, "\n")
			for i := range min(len(was), len(is)) {
				if was[i] != is[i] {
					t.Fatalf("%s:%d\n got %s\nwant %s", name, i+1, is[i], was[i])
				}
			}
			t.Fatalf("%s has %d lines, want %d", name, len(was), len(is))
		})
	}
}

type script struct {
	*bed
	keys   map[string]string
	names  map[string]string // by value
	values map[string]string // by name
}

// play makes the requests and returns the script with the answers that came.
func (s *script) play(text string) string {
	var out []string
	for block := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n\n") {
		asked, _, _ := strings.Cut(block, "\n---")
		var lines []string
		for line := range strings.SplitSeq(asked, "\n") {
			if !strings.HasPrefix(line, "#") {
				lines = append(lines, line)
			}
		}
		switch {
		case len(lines) == 0:
			out = append(out, block)
		case strings.HasPrefix(lines[0], "key "):
			for _, line := range lines {
				words := strings.SplitN(line, " ", 3)
				s.keys[words[1]] = s.key(s.fill(words[2]))
			}
			out = append(out, block)
		default:
			out = append(out, asked+"\n---\n"+s.exchange(lines))
		}
	}
	return strings.Join(out, "\n\n") + "\n"
}

var headerLine = regexp.MustCompile(`^[a-z-]+: `)

func (s *script) exchange(lines []string) string {
	request, as, _ := strings.Cut(lines[0], " as ")
	method, path, found := strings.Cut(request, " ")
	if !found {
		s.Fatalf("%q is no request", lines[0])
	}
	key := s.keys[as]
	if as != "" && key == "" {
		if key = s.values[as]; key == "" {
			s.Fatalf("there is no key %q", as)
		}
	}
	lines = lines[1:]
	var headers []string
	for len(lines) > 0 && headerLine.MatchString(lines[0]) {
		headers, lines = append(headers, s.fill(lines[0])), lines[1:]
	}
	return s.describe(s.call(key, method, s.fill(path), s.fill(strings.Join(lines, "\n")), headers...))
}

var variable = regexp.MustCompile(`\{(?:[a-z]+ [0-9]+|cursor)\}`)

func (s *script) fill(text string) string {
	return variable.ReplaceAllStringFunc(text, func(name string) string {
		if v, found := s.values[name]; found {
			return v
		}
		return name
	})
}

var (
	idPattern  = regexp.MustCompile(`\b(?:[a-z]{3}_[0-9a-z]{26}|svc_(?:sk|prv)_[0-9A-Za-z]{16}_[0-9A-Za-z]{40})\b`)
	maskedText = regexp.MustCompile(`"(hash|publicId)":"[^"]*"`)
	timeText   = regexp.MustCompile(`"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"`)
	requestID  = regexp.MustCompile(`,"requestId":"[^"]*"`)
	nextCursor = regexp.MustCompile(`"nextCursor":"([^"]*)"`)
)

// shown are the headers that scripts compare, where they are not what every answer has.
var shown = []string{"Allow", "Location", "Retry-After", "Content-Type", "Cache-Control", "Www-Authenticate"}

func (s *script) describe(a answer) string {
	lines := []string{fmt.Sprint(a.status)}
	for _, name := range shown {
		v := a.header.Get(name)
		if v != "" && !slices.Contains([]string{"no-store", "application/json", "application/problem+json", "Bearer"}, v) {
			lines = append(lines, strings.ToLower(name)+": "+v)
		}
	}
	if a.header.Get("Svc-Request-Id") == "" {
		s.Errorf("%s: an answer without a request id", a.what)
	}
	text := requestID.ReplaceAllString(string(a.body), "")
	if m := nextCursor.FindStringSubmatch(text); m != nil {
		s.values["{cursor}"] = m[1]
		text = strings.Replace(text, m[1], "{cursor}", 1)
	}
	text = idPattern.ReplaceAllStringFunc(text, s.name)
	text = maskedText.ReplaceAllString(text, `"$1":"{$1}"`)
	text = timeText.ReplaceAllStringFunc(text, func(quoted string) string {
		at, err := time.Parse(time.RFC3339, strings.Trim(quoted, `"`))
		if err == nil && time.Since(at).Abs() < time.Hour {
			return `"{time}"`
		}
		return quoted
	})
	if text != "" {
		lines = append(lines, text)
	}
	return strings.Join(lines, "\n")
}

// name gives an id or secret its name.
func (s *script) name(value string) string {
	if name, found := s.names[value]; found {
		return name
	}
	kind := value[:3]
	if kind == "svc" {
		kind = "secret"
	}
	n := 1
	for s.values[fmt.Sprintf("{%s %d}", kind, n)] != "" {
		n++
	}
	name := fmt.Sprintf("{%s %d}", kind, n)
	s.names[value], s.values[name] = name, value
	return name
}
