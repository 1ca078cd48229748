package dsl

import (
	"fmt"
	"path"
	"strings"

	"github.com/grafana/sobek"

	"svc/shared/schema"
)

// imports are the files that each file imports.
type imports map[string][]string

// circle is the shortest way from a file by its imports back to itself, both ends included; nil where there is none.
func (i imports) circle(file string) []string {
	from := map[string]string{}
	for queue := []string{file}; len(queue) > 0; queue = queue[1:] {
		for _, next := range i[queue[0]] {
			if _, seen := from[next]; seen {
				continue
			}
			from[next] = queue[0]
			if next == file {
				way := []string{file}
				for at := from[file]; at != file; at = from[at] {
					way = append([]string{at}, way...)
				}
				return append([]string{file}, way...)
			}
			queue = append(queue, next)
		}
	}
	return nil
}

// circular says that files import each other, of which one is evaluated before what it imports is there, what came of
// that if it is known, and what to write instead. It is "" for a file that is on no circle.
func (i imports) circular(file, effect string) string {
	circle := i.circle(file)
	if circle == nil {
		return ""
	}
	target := strings.TrimSuffix(path.Base(circle[1]), path.Ext(circle[1]))
	if len(circle) == 2 || target == "index" || !schema.IsName(target) {
		target = "authors"
	}
	if effect != "" {
		effect = " (" + effect + ")"
	}
	return fmt.Sprintf("the import is circular: %s imports %s, and what it imports is still undefined%s; write the name of a collection in "+
		"quotes instead, such as to: %q, and move what files share into one that imports none of them",
		circle[0], strings.Join(circle[1:], ", which imports "), effect, target)
}

// explainCircle tells of an error that comes of a value which is not there yet where files import each other.
func (c *collector) explainCircle(stack []sobek.StackFrame, code Code, message string) (Code, string) {
	if !strings.Contains(message, "undefined") && !strings.Contains(message, "before initialization") {
		return code, message
	}
	for i := range stack[:min(len(stack), maxFrames)] {
		name, _, _ := c.sourceOf(&stack[i])
		if circular := c.imports.circular(strings.TrimPrefix(name, fileSpace+":"), shorten(message)); circular != "" {
			return CodeImport, circular
		}
	}
	return code, message
}
