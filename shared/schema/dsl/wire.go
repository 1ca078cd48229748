package dsl

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// request is what the parent tells the child, as one JSON value. The parent leaves the pipe open: its end tells the
// child that the parent is gone.
type request struct {
	Files []source `json:"files"`
	// Missing are files of the folder that cannot be taken: what imports them is not evaluated.
	Missing     []string `json:"missing,omitempty"`
	TimeMillis  int64    `json:"timeMillis"`
	MemoryBytes int64    `json:"memoryBytes"`
}

// record is what the child tells the parent, one JSON value after another: what it is at, and at last the answer.
type record struct {
	Doing  string  `json:"doing,omitzero"` // the file that is evaluated from here on; empty while bundling
	Answer *answer `json:"answer,omitzero"`
}

// answer is what an evaluation found.
type answer struct {
	Found  []found `json:"found,omitempty"`
	Issues []Issue `json:"issues,omitempty"`
	// Warnings are what the bundler finds suspicious.
	Warnings []Issue `json:"warnings,omitempty"`
}

// found is one exported collection.
type found struct {
	File   string         `json:"file"`
	Export string         `json:"export"` // "default" or its name, with "[i]" in an array
	JSON   jsontext.Value `json:"json"`
	Marks  []mark         `json:"marks,omitempty"`
	// Failed are the paths of what JSON cannot say, where it is null instead.
	Failed []string `json:"failed,omitempty"`
	// Circular says that the file is on a circle of imports, so that what it imports may be undefined.
	Circular string `json:"circular,omitempty"`
}

// mark says where the part of a collection at Path was built; "" is the collection itself.
type mark struct {
	Path   string `json:"path"`
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

// readRequest reads the request and nothing behind it.
func readRequest(in io.Reader) (request, error) {
	var r request
	if err := json.UnmarshalDecode(jsontext.NewDecoder(in), &r, json.RejectUnknownMembers(true)); err != nil {
		return request{}, fmt.Errorf("read what to evaluate: %w", err)
	}
	return r, nil
}

// readRecords reads what the child says until it ends. It returns what the child was at, and its answer where it came
// to one.
func readRecords(out io.Reader) (doing string, result *answer, err error) {
	limited := &io.LimitedReader{R: out, N: maxAnswerBytes}
	records := jsontext.NewDecoder(limited)
	for {
		var r record
		switch err := json.UnmarshalDecode(records, &r, json.RejectUnknownMembers(true)); {
		case errors.Is(err, io.EOF) && limited.N > 0:
			return doing, result, nil
		case err != nil && limited.N == 0:
			return doing, nil, fmt.Errorf("the evaluation answers with more than %d bytes", maxAnswerBytes)
		case err != nil:
			return doing, nil, fmt.Errorf("read the answer of the evaluation: %w", err)
		}
		if r.Answer != nil {
			if slices.ContainsFunc(r.Answer.Issues, func(i Issue) bool { return i.Message == "" }) {
				return doing, nil, errors.New("the evaluation answers with an issue that says nothing")
			}
			result = r.Answer
			continue
		}
		doing = r.Doing
	}
}
