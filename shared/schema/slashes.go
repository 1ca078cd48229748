package schema

import (
	"regexp"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/fault"
)

// slashed is a pattern that is written like one of JavaScript, such as "/^a$/i".
var slashed = regexp.MustCompile(`^/((?s:.+))/([a-z]*)$`)

// PatternItems finds the patterns that are written between slashes, and says what to write if these are not meant to be
// part of the text. They are no faults.
func (c *Collection) PatternItems() []fault.Item {
	var items []fault.Item
	patternItems(&items, "fields", c.Fields)
	return items
}

func patternItems(items *[]fault.Item, path string, fields Fields) {
	for _, f := range fields {
		patternItem(items, join(path, f.Key), f)
	}
}

func patternItem(items *[]fault.Item, path string, f *Field) {
	if found := slashed.FindStringSubmatch(f.Pattern); found != nil && onlyFlags(found[2]) {
		message := "is written between slashes, as in JavaScript, and fits only texts that hold these slashes"
		if text := PatternText(found[1], found[2]); text != "" {
			message += "; if that is not meant, write " + text
		}
		*items = append(*items, fault.Item{Path: join(path, "pattern"), Code: string(CodePattern), Message: message})
	}
	if f.Of != nil {
		patternItem(items, join(path, "of"), f.Of)
	}
	patternItems(items, join(path, "fields"), f.Fields)
	for i, b := range f.Blocks {
		patternItems(items, join(index(join(path, "allowed"), i), "fields"), b.Fields)
	}
}

// onlyFlags reports whether a word is made of the flags of JavaScript, each once at most.
func onlyFlags(word string) bool {
	for i, flag := range word {
		if !strings.ContainsRune("dgimsuvy", flag) || strings.ContainsRune(word[:i], flag) {
			return false
		}
	}
	return true
}

// PatternText is the option in quotes that means what JavaScript writes as /pattern/flags; "" where it is too long to be
// shown. Of the flags, i, m and s mean something to whoever asks whether a text fits.
func PatternText(pattern, flags string) string {
	kept := strings.Map(func(r rune) rune {
		if strings.ContainsRune("ims", r) {
			return r
		}
		return -1
	}, flags)
	if kept != "" {
		pattern = "(?" + kept + ")" + pattern
	}
	quoted, err := jsontext.AppendQuote(nil, pattern)
	if err != nil || ShowUpTo(pattern, 2*shown) != pattern {
		return ""
	}
	return string(quoted)
}
