package api_test

import (
	"fmt"
	"testing"

	"svc/shared/fault"
)

// TestABodyMayBeginWithAByteOrderMark: with one, and nothing else has one.
func TestABodyMayBeginWithAByteOrderMark(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	const bom, json = "\uFEFF", "content-type: application/json"
	rows := 0
	row := func() string { // none is like another, or it would be left out
		rows++
		return fmt.Sprintf(`{"data":{"title":"Row %d"}}`, rows)
	}
	for body, fits := range map[string]bool{
		bom + `{"title":"A"}`: true, bom + " \n" + `{"title":"A"}`: true, bom + bom + `{"title":"A"}`: false, `{"title":"A"}` + bom: false,
		" " + bom + `{"title":"A"}`: false, bom: false, `{` + bom + `"title":"A"}`: false,
	} {
		answer := b.call(b.owner, "POST", sets, body)
		if fits {
			answer.is(201)
		} else {
			answer.refused(fault.ValidationFailed)
		}
	}
	if title := b.call(b.owner, "POST", sets, `{"title":"`+bom+`A"}`).is(201).at("data.title"); title != bom+"A" {
		t.Errorf("within a text it is one character more: %q", title)
	}
	for _, c := range []struct {
		body, kind string
		created    string // "" where it is refused
	}{
		{bom + row() + "\n" + row(), ndjson, "2"},
		{bom + "\n" + row(), ndjson, "1"},
		{bom, ndjson, "0"},
		{bom + bom + row(), ndjson, ""},
		{row() + "\n" + bom + row(), ndjson, ""},
		{bom + `{"entries":[` + row() + `]}`, json, "1"},
		{`{"entries":[` + bom + row() + `]}`, json, ""},
	} {
		answer := b.call(b.owner, "POST", imports, c.body, c.kind)
		if c.created == "" {
			answer.refused(fault.ValidationFailed)
		} else if got := answer.is(200).at("data.created"); got != c.created {
			t.Errorf("%q created %s entries", c.body, got)
		}
	}
}
