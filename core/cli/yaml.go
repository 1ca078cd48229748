package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v4"
)

// toYAML writes a JSON value as YAML. Members keep their order, and numbers their text.
func toYAML(v jsontext.Value) ([]byte, error) {
	node, err := yamlOf(jsontext.NewDecoder(bytes.NewReader(v)))
	if err != nil {
		return nil, err
	}
	back := putStandIns(node)
	var out bytes.Buffer
	d, err := yaml.NewDumper(&out, yaml.WithV3Defaults(), yaml.WithIndent(2), yaml.WithLineWidth(-1)) // no text is broken into lines
	if err != nil {
		return nil, err
	}
	err = errors.Join(d.Dump(node), d.Close())
	return []byte(back.Replace(out.String())), err
}

// putStandIns lets private characters that the texts do not have stand for those beyond U+FFFF, such as emoji, which the encoder has
// escapes for alone, and returns what puts those back.
func putStandIns(node *yaml.Node) (back *strings.Replacer) {
	has := map[rune]bool{}
	eachText(node, func(text *string) {
		for _, r := range *text {
			has[r] = true
		}
	})
	const first, last = '\ue000', '\uf8ff'
	free := rune(first)
	var there, again []string
	for _, r := range slices.Sorted(maps.Keys(has)) {
		for has[free] {
			free++
		}
		if r > 0xffff && unicode.IsPrint(r) && free <= last {
			there, again = append(there, string(r), string(free)), append(again, string(free), string(r))
			free++
		}
	}
	replace := strings.NewReplacer(there...)
	eachText(node, func(text *string) { *text = replace.Replace(*text) })
	return strings.NewReplacer(again...)
}

func eachText(node *yaml.Node, see func(*string)) {
	see(&node.Value)
	for _, child := range node.Content {
		eachText(child, see)
	}
}

// yamlOf reads the next value.
func yamlOf(d *jsontext.Decoder) (*yaml.Node, error) {
	token, err := d.ReadToken()
	if err != nil {
		return nil, err
	}
	node := &yaml.Node{Kind: yaml.ScalarNode}
	switch token.Kind() {
	case '"':
		node.Tag, node.Value, node.Style = "!!str", token.String(), styleOf(token.String())
		return node, nil
	case '{':
		node.Kind = yaml.MappingNode
	case '[':
		node.Kind = yaml.SequenceNode
	default: // numbers, too, are read as they are written here
		node.Value = token.String()
		return node, nil
	}
	for d.PeekKind() != '}' && d.PeekKind() != ']' {
		child, err := yamlOf(d)
		if err != nil {
			return nil, err
		}
		node.Content = append(node.Content, child)
	}
	_, err = d.ReadToken()
	return node, err
}

// styleOf is how a text is written: over several lines only where every line looks like what it is.
func styleOf(text string) yaml.Style {
	lines := strings.Split(text, "\n")
	odd := func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }
	switch {
	case strings.ContainsFunc(text, odd), isNumber(text):
		return yaml.DoubleQuotedStyle
	case len(lines) == 1:
		return 0
	}
	for n, line := range lines {
		if strings.TrimRight(line, " ") != line || n == 0 && strings.TrimLeft(line, " ") != line {
			return yaml.DoubleQuotedStyle
		}
	}
	if lines[0] == "" || strings.HasSuffix(text, "\n\n") {
		return yaml.DoubleQuotedStyle
	}
	return yaml.LiteralStyle
}

func isNumber(text string) bool {
	v := jsontext.Value(text)
	return v.Kind() == '0' && v.IsValid() && strings.TrimSpace(text) == text
}

// syntaxError is what is wrong with a file, in which line.
type syntaxError struct {
	line, column int // from 1; 0: not known
	message      string
}

func (e *syntaxError) Error() string { return e.message }

// yamlFault says where the parser stopped, and where what it was reading there begins: a text whose end is missing is told at the end
// of the file.
func yamlFault(err error) error {
	at, ok := errors.AsType[*yaml.LoadError](err)
	if !ok {
		return &syntaxError{message: "is not valid YAML: " + strings.TrimPrefix(err.Error(), "yaml: ")}
	}
	message := "is not valid YAML: " + at.Message
	if from := at.ContextMark.Line; from > 0 && from != at.Mark.Line {
		message += fmt.Sprintf(" %s of line %d", at.ContextMsg, from)
	}
	return &syntaxError{at.Mark.Line, at.Mark.Column, message}
}

func wrong(n *yaml.Node, format string, args ...any) error {
	return &syntaxError{n.Line, n.Column, fmt.Sprintf(format, args...)}
}

// fromYAML reads YAML as a JSON value. Members keep their order, and numbers their text. What JSON has no word for is an error.
func fromYAML(text []byte) (jsontext.Value, error) {
	d := yaml.NewDecoder(bytes.NewReader(text))
	var document, more yaml.Node
	switch err := d.Decode(&document); {
	case errors.Is(err, io.EOF):
		return nil, &syntaxError{message: "is empty"}
	case err != nil:
		return nil, yamlFault(err)
	}
	if err := d.Decode(&more); !errors.Is(err, io.EOF) {
		return nil, wrong(&more, "a second document begins here, and there may be one alone")
	}
	var out bytes.Buffer
	e := jsontext.NewEncoder(&out, jsontext.AllowDuplicateNames(true)) // which are told with their path
	if err := writeJSON(e, document.Content[0]); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func writeJSON(e *jsontext.Encoder, n *yaml.Node) error {
	switch n.Kind {
	case yaml.MappingNode:
		if err := e.WriteToken(jsontext.BeginObject); err != nil {
			return err
		}
		for i, child := range n.Content {
			if i%2 == 1 {
				if err := writeJSON(e, child); err != nil {
					return err
				}
				continue
			}
			if child.Kind != yaml.ScalarNode || child.ShortTag() == "!!merge" {
				return wrong(child, "the name of a member must be a text")
			}
			if err := e.WriteToken(jsontext.String(child.Value)); err != nil {
				return wrong(child, "%v", err)
			}
		}
		return e.WriteToken(jsontext.EndObject)
	case yaml.SequenceNode:
		if err := e.WriteToken(jsontext.BeginArray); err != nil {
			return err
		}
		for _, child := range n.Content {
			if err := writeJSON(e, child); err != nil {
				return err
			}
		}
		return e.WriteToken(jsontext.EndArray)
	case yaml.ScalarNode:
		return writeScalar(e, n)
	}
	return wrong(n, "references to other places of the file (*%s) are not taken", n.Value)
}

func writeScalar(e *jsontext.Encoder, n *yaml.Node) error {
	if n.Style == 0 && isNumber(n.Value) { // YAML takes those that are too large for texts
		return e.WriteValue(jsontext.Value(n.Value))
	}
	switch n.ShortTag() {
	case "!!str", "!!timestamp": // times are texts
		if err := e.WriteToken(jsontext.String(n.Value)); err != nil {
			return wrong(n, "%v", err)
		}
		return nil
	case "!!null":
		return e.WriteToken(jsontext.Null)
	case "!!bool":
		return e.WriteToken(jsontext.Bool(strings.EqualFold(n.Value, "true")))
	case "!!int", "!!float":
		return wrong(n, "%s is no number of JSON; write it in decimal digits, or a text in quotation marks", n.Value)
	}
	return wrong(n, "values of the kind %s are not taken", n.ShortTag())
}
