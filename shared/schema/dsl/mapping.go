package dsl

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
)

// mapping says that something of the bundle comes from a place of a file. Lines and columns are from 0, columns in UTF-16
// units; the bundle is ASCII.
type mapping struct {
	line, column int // of the bundle
	source       int
	at           spot
}

// spot is a place in a file, from 0.
type spot struct{ line, column int }

func (s spot) compare(other spot) int {
	return cmp.Or(cmp.Compare(s.line, other.line), cmp.Compare(s.column, other.column))
}

// sourceMap is the part of a source map (revision 3) that is of use here.
type sourceMap struct {
	Sources  []string `json:"sources"`
	Mappings string   `json:"mappings"`
}

// readMappings reads a source map. The names are those of the files, "" for what is no file of the folder.
func readMappings(text []byte) (names []string, all []mapping, err error) {
	var m sourceMap
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, nil, fmt.Errorf("read the source map of the bundle: %w", err)
	}
	for _, source := range m.Sources {
		name, isFile := strings.CutPrefix(source, fileSpace+":")
		if !isFile {
			name = ""
		}
		names = append(names, name)
	}
	all, err = decodeMappings(m.Mappings, len(names))
	return names, all, err
}

var errMappings = errors.New("the source map of the bundle is none")

// decodeMappings reads the member "mappings": lines with ";" between, in them segments with "," between, of which each
// holds differences to the one before, in base 64.
func decodeMappings(text string, sources int) ([]mapping, error) {
	var all []mapping
	var now mapping
	line := 0
	for segments := range strings.SplitSeq(text, ";") {
		now.column = 0
		for segment := range strings.SplitSeq(segments, ",") {
			if segment == "" {
				continue
			}
			steps, err := decodeSteps(segment)
			if err != nil {
				return nil, err
			}
			now.line, now.column = line, now.column+steps[0]
			now.source += steps[1]
			now.at.line += steps[2]
			now.at.column += steps[3]
			if now.source < 0 || now.source >= sources {
				return nil, errMappings
			}
			all = append(all, now)
		}
		line++
	}
	return all, nil
}

const base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// decodeSteps reads the first four numbers of a segment, of five bits a digit, the least first, the sign at the end.
func decodeSteps(segment string) (steps [4]int, err error) {
	n, value, shift := 0, 0, 0
	for i := 0; i < len(segment); i++ {
		digit := strings.IndexByte(base64Digits, segment[i])
		if digit < 0 || shift > 30 {
			return steps, errMappings
		}
		value |= digit & 31 << shift
		shift += 5
		if digit&32 != 0 {
			continue
		}
		if n < len(steps) {
			steps[n] = value >> 1
			if value&1 != 0 {
				steps[n] = -steps[n]
			}
		}
		n, value, shift = n+1, 0, 0
	}
	if n < len(steps) {
		return steps, errMappings
	}
	return steps, nil
}

// from is the rest of a line of the bundle from a place, both counted from 0.
func (b *bundle) from(line, column int) string {
	if line < 0 || line >= len(b.lines) || column < 0 || column > len(b.lines[line]) {
		return ""
	}
	return b.lines[line][column:]
}

// mapped are the spots of each file that something of the bundle comes from, in order.
type mapped map[string][]spot

// spotsOf collects them, of the mappings that are wanted.
func (b *bundle) spotsOf(wanted func(m mapping) bool) mapped {
	out := mapped{}
	for _, m := range b.mappings {
		if name := b.sources[m.source]; name != "" && wanted(m) {
			out[name] = append(out[name], m.at)
		}
	}
	for name := range out {
		slices.SortFunc(out[name], spot.compare)
	}
	return out
}

// within reports whether something comes from a file between two spots, of which the second is included.
func (m mapped) within(file string, from, to spot) bool {
	i, _ := slices.BinarySearchFunc(m[file], from, spot.compare)
	return i < len(m[file]) && m[file][i].compare(to) <= 0
}
