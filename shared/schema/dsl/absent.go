package dsl

import (
	"slices"
	"strings"
)

// absent are names that other programs have, by what schema files do without.
var absent = []struct {
	what  string
	names []string
}{
	{"Node.js", []string{
		"module", "exports", "__filename", "__dirname", "process", "Buffer", "global", "Deno", "Bun",
	}},
	{"network and no browser", []string{
		"fetch", "XMLHttpRequest", "WebSocket", "Worker", "WebAssembly", "window", "document", "self", "navigator",
		"location", "localStorage",
	}},
	{"clock", []string{"setTimeout", "setInterval", "setImmediate", "queueMicrotask", "performance"}},
	{"output", []string{"console", "alert", "print"}},
	{"chance", []string{"crypto"}},
}

// explainReference adds to "process is not defined" what a schema file has instead.
func explainReference(message string) (Code, string) {
	name, found := strings.CutSuffix(message, " is not defined")
	for _, a := range absent {
		if found && slices.Contains(a.names, name) {
			return CodeForbidden, message + ": a schema file has no " + a.what + ", only the language itself and \"" + moduleName + "\""
		}
	}
	return CodeThrown, shorten(message)
}
