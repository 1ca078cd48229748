package cli

import (
	"bytes"
	"errors"
	"slices"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc/core/client"
	"svc/shared/fault"
	"svc/shared/problem"
	"svc/shared/value"
)

// document is what of an entry is edited in a file.
type document struct {
	slug   *string        // nil: none
	fields jsontext.Value // an object
}

// text is the file: YAML behind a header, or JSON.
func (d document) text(header string, asJSON bool) ([]byte, error) {
	whole, err := json.Marshal(struct {
		Slug   *string        `json:"slug,omitzero"`
		Fields jsontext.Value `json:"fields"`
	}{d.slug, d.fields})
	if err != nil {
		return nil, err
	}
	if asJSON {
		indented, err := jsontext.AppendFormat(nil, whole, jsontext.Multiline(true), jsontext.WithIndent("  "))
		return append(indented, '\n'), err
	}
	text, err := toYAML(whole)
	return append([]byte(header), text...), err
}

// readDocument reads a file.
func readDocument(file string, text []byte, asJSON bool) (d document, err error) {
	if asJSON {
		text, err = value.TrimBOM(text), jsonFault(value.TrimBOM(text))
	} else {
		text, err = fromYAML(text)
	}
	if err != nil {
		return d, badFile(file, err)
	}
	whole, err := value.ParseObject(text, "")
	if err != nil {
		return d, badFile(file, err)
	}
	members, err := value.Members(whole)
	if err != nil {
		return d, badFile(file, err)
	}
	for _, m := range members {
		switch {
		case m.Name == "slug" && m.Value.Kind() == '"':
			err = json.Unmarshal(m.Value, &d.slug)
		case m.Name == "slug" && m.Value.Kind() == 'n':
		case m.Name == "fields" && m.Value.Kind() == '{':
			d.fields = m.Value
		case m.Name == "slug":
			err = fault.Invalid(m.Name, "must be a text")
		case m.Name == "fields":
			err = fault.Invalid(m.Name, "must be an object: each field indented under it")
		default:
			err = fault.Invalid(m.Name, "is not known here; the file has slug and fields")
		}
		if err != nil {
			return d, badFile(file, err)
		}
	}
	if d.fields == nil {
		return d, badFile(file, fault.Invalid("fields", "is missing"))
	}
	return d, nil
}

// jsonFault says where a text is no JSON; nil is nowhere.
func jsonFault(text []byte) error {
	_, err := jsontext.AppendFormat(nil, text, jsontext.AllowDuplicateNames(true)) // which are told with their path
	at, ok := errors.AsType[*jsontext.SyntacticError](err)
	if !ok {
		return err
	}
	before := text[:min(int(at.ByteOffset), len(text))]
	line := bytes.LastIndexByte(before, '\n') + 1
	return &syntaxError{bytes.Count(before, []byte("\n")) + 1, utf8.RuneCount(before[line:]) + 1, "is not valid JSON: " + at.Err.Error()}
}

// badFile is the failure of a file that cannot be taken.
func badFile(file string, err error) *failure {
	f := &failure{exit: ExitValidation, Code: string(fault.ValidationFailed), Detail: "the file cannot be taken"}
	if at, ok := errors.AsType[*syntaxError](err); ok {
		f.Errors = []issue{{File: file, Line: at.line, Column: at.column, Issue: problem.Issue{Message: at.message}}}
		return f
	}
	found := fault.As(err)
	f.Detail, f.Errors = file+": "+found.Detail, issuesOf(problem.Issues(found.Items))
	return f
}

// changes are what leads from d to another document, and what it is called.
func (d document) changes(file string, to document) (patch client.Patch, names []string, err error) {
	switch {
	case to.slug == nil && d.slug != nil:
		return patch, nil, badFile(file, fault.Invalid("slug", "cannot be cleared; give another one, or leave it as it is"))
	case to.slug != nil && (d.slug == nil || *d.slug != *to.slug):
		patch.Slug, names = to.slug, append(names, "slug")
	}
	before, err := fieldValues(d.fields)
	if err != nil {
		return patch, nil, err
	}
	after, err := value.Members(to.fields)
	if err != nil {
		return patch, nil, err
	}
	data := map[string]jsontext.Value{}
	for _, m := range after {
		was, had := before[m.Name]
		if delete(before, m.Name); had && sameJSON(was, m.Value) || !had && m.Value.Kind() == 'n' {
			continue
		}
		data[m.Name] = m.Value
		if !slices.Contains(names, m.Name) { // a field may be called slug
			names = append(names, m.Name)
		}
	}
	cleared, err := value.Members(d.fields)
	for _, m := range cleared {
		if _, left := before[m.Name]; left {
			data[m.Name] = jsontext.Value("null")
			if !slices.Contains(names, m.Name) {
				names = append(names, m.Name)
			}
		}
	}
	if err != nil {
		return patch, nil, err
	}
	whole, err := json.Marshal(data, json.Deterministic(true))
	patch.Data = jsontext.Value(whole)
	return patch, names, err
}

func fieldValues(object jsontext.Value) (map[string]jsontext.Value, error) {
	members, err := value.Members(object)
	values := map[string]jsontext.Value{}
	for _, m := range members {
		values[m.Name] = m.Value
	}
	return values, err
}

// sameJSON tells whether two values say the same, in whatever order their members are. Numbers are the same where their texts are.
func sameJSON(a, b jsontext.Value) bool {
	a, errA := jsontext.AppendFormat(nil, a, jsontext.ReorderRawObjects(true))
	b, errB := jsontext.AppendFormat(nil, b, jsontext.ReorderRawObjects(true))
	return errA == nil && errB == nil && bytes.Equal(a, b)
}
