package dsl

import "regexp"

// export returns where a file exports a name. Where something that looks like it is no code, such as a comment, the source
// map tells.
func (p *positions) export(file, name string) place {
	text := p.files[file]
	var first place
	for _, expression := range exportOf(name) {
		lines := linesOf{text: text}
		for _, at := range expression.FindAllStringSubmatchIndex(text, maxFrames) {
			from, to := lines.spot(at[2]), lines.spot(at[1])
			found := place{file, from.line + 1, from.column + 1}
			if p.isCode(file, from, to) {
				return found
			}
			if first.File == "" {
				first = found
			}
		}
	}
	return first
}

// exportOf are the ways to export a name, from the one that says it most clearly to the one that does not name it.
func exportOf(name string) []*regexp.Regexp {
	quoted := regexp.QuoteMeta(name)
	declared := `\b(export)\s+(?:declare\s+|abstract\s+|async\s+)*(?:const|let|var|function\*?|class|enum|namespace)\s+` + quoted + `(?:[^\w$]|$)`
	if name == "default" {
		declared = `\b(export)\s+default\s+\S`
	}
	var all []*regexp.Regexp
	for _, expression := range []string{
		declared,
		`\bexport\s*\{[^}]*?\b(\w+\s+as\s+["']?` + quoted + `)["']?\s*[,}]`,
		`\bexport\s*\{(?:[^}]*?,)?\s*(` + quoted + `)\s*[,}]`,
		`\bexport\s+[^;]*?,\s*(` + quoted + `)(?:[^\w$]|$)`,
		`\b(export)\b`,
	} {
		all = append(all, regexp.MustCompile(expression))
	}
	return all
}

// isCode reports whether something of the bundle comes from a part of a file.
func (p *positions) isCode(file string, from, to spot) bool {
	if p.spots == nil {
		p.spots = p.bundle.spotsOf(func(mapping) bool { return true })
	}
	return p.spots.within(file, from, to)
}
