package node

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Answer is what a node answered.
type Answer struct {
	Node, Path string
	Status     int
	Header     http.Header
	Body       []byte
	// Release is the header svc-release; 0 where there is none.
	Release uint64
}

// Entry is an entry as public reads show it.
type Entry struct {
	ID         string         `json:"id"`
	Collection string         `json:"collection"`
	Slug       *string        `json:"slug"`
	Fields     jsontext.Value `json:"fields"`
	Meta       Meta           `json:"meta"`
}

// Meta is what an entry tells about the revision that was read.
type Meta struct {
	Revision    string    `json:"revision"`
	PublishedAt time.Time `json:"publishedAt"`
}

// Page is one page of a list; an empty Next ends it.
type Page struct {
	Entries []Entry
	Next    string
}

// Problem is the body of a refusal.
type Problem struct {
	Type          string        `json:"type"`
	Title         string        `json:"title"`
	Status        int           `json:"status"`
	Code          string        `json:"code"`
	Detail        string        `json:"detail"`
	RequestID     string        `json:"requestId"`
	Errors        []ProblemItem `json:"errors"`
	CanonicalSlug string        `json:"canonicalSlug"`
}

// ProblemItem is one finding of a problem.
type ProblemItem struct {
	Path    string `json:"path"`
	Message string `json:"message"`
	Code    string `json:"code"`
}

// Page decodes a list.
func (a Answer) Page() (Page, error) {
	var body struct {
		Data       []Entry `json:"data"`
		Pagination struct {
			NextCursor *string `json:"nextCursor"`
		} `json:"pagination"`
	}
	if err := a.decode(http.StatusOK, &body); err != nil {
		return Page{}, err
	}
	page := Page{Entries: body.Data}
	if body.Pagination.NextCursor != nil {
		page.Next = *body.Pagination.NextCursor
	}
	return page, nil
}

// Entry decodes a single entry.
func (a Answer) Entry() (Entry, error) {
	var body struct {
		Data Entry `json:"data"`
	}
	err := a.decode(http.StatusOK, &body)
	return body.Data, err
}

// Problem decodes a refusal, whose status and request id must be those of the answer's head.
func (a Answer) Problem() (Problem, error) {
	var body Problem
	if got := a.Header.Get("Content-Type"); got != "application/problem+json" {
		return body, fmt.Errorf("%s %s: status %d with content type %q: %.200s", a.Node, a.Path, a.Status, got, a.Body)
	}
	if err := a.decode(a.Status, &body); err != nil {
		return body, err
	}
	if body.Status != a.Status || body.RequestID == "" || body.RequestID != a.Header.Get("Svc-Request-Id") {
		return body, fmt.Errorf("%s %s: the body %.300s does not fit status %d and request id %q",
			a.Node, a.Path, a.Body, a.Status, a.Header.Get("Svc-Request-Id"))
	}
	return body, nil
}

// String is the answer in short: the node, what it was asked, the status, the release and the beginning of the body.
func (a Answer) String() string {
	release := ""
	if a.Release > 0 {
		release = fmt.Sprintf(" of release %d", a.Release)
	}
	return fmt.Sprintf("%s %s: status %d%s: %.300s", a.Node, a.Path, a.Status, release, a.Body)
}

func (a Answer) decode(status int, out any) error {
	if a.Status != status {
		return errors.New(a.String())
	}
	if err := json.Unmarshal(a.Body, out, json.RejectUnknownMembers(true)); err != nil {
		return fmt.Errorf("%s %s: %w", a.Node, a.Path, err)
	}
	return nil
}

// compared are the headers that nodes have in common; rate limits and request ids differ from answer to answer.
var compared = []string{
	"Content-Type", "Content-Encoding", "Etag", "Cache-Control", "Content-Location", "Svc-Release", "Vary",
	"Access-Control-Allow-Origin", "X-Robots-Tag",
}

// Same is an error where answers to one request differ: in status, in a header that matters, in a byte of the body. Of
// refusals the body differs by its request id alone.
func Same(answers []Answer) error {
	first := answers[0]
	for _, other := range answers[1:] {
		if other.Status != first.Status {
			return fmt.Errorf("%s: %s answers %d, %s %d: %.200s", first.Path, first.Node, first.Status, other.Node, other.Status, other.Body)
		}
		a, b := withoutID(first), withoutID(other)
		if !bytes.Equal(a, b) {
			at := 0
			for at < min(len(a), len(b)) && a[at] == b[at] {
				at++
			}
			return fmt.Errorf("%s: the bodies differ at byte %d: %s has %.80q, %s %.80q", first.Path, at, first.Node, a[at:], other.Node, b[at:])
		}
		for _, name := range compared {
			if a, b := first.Header.Get(name), other.Header.Get(name); a != b {
				return fmt.Errorf("%s: %s has %s %q, %s %q", first.Path, first.Node, name, a, other.Node, b)
			}
		}
	}
	return nil
}

func withoutID(a Answer) []byte {
	if a.Status < http.StatusBadRequest {
		return a.Body
	}
	return bytes.ReplaceAll(a.Body, []byte(a.Header.Get("Svc-Request-Id")), nil)
}
