package cli

import (
	"regexp"
	"strings"
)

// typed is commandLine in quotes, for a sentence.
func (a *app) typed(words ...string) string { return `"` + a.commandLine(words...) + `"` }

// commandLine is a command as it is to be typed to work with the same service, project and folder as this call: the flags
// that say so here are given there as well. A token is not shown, only that one is to be given.
func (a *app) commandLine(words ...string) string {
	words = append([]string{"svc"}, words...)
	add := func(flag, value string) {
		if value != "" {
			words = append(words, flag, value)
		}
	}
	asks := words[1] != "init" // of the service
	if asks {
		add("--api-url", a.flags.apiURL)
	}
	if worksInProject(words[1]) {
		add("--project", a.flags.project)
	}
	if readsFolder(words[1:]) {
		add("--dir", a.flags.dir)
	}
	for i, word := range words {
		words[i] = shellWord(word)
	}
	if asks && a.flags.token != "" {
		words = append(words, "--token", "…")
	}
	return strings.Join(words, " ")
}

// worksInProject tells which commands ask something of a project.
func worksInProject(command string) bool {
	switch command {
	case "schema", "types", "entries", "change-sets", "releases":
		return true
	}
	return false
}

// readsFolder tells which commands read the schema folder, or write it.
func readsFolder(words []string) bool {
	if words[0] != "schema" {
		return words[0] == "types"
	}
	switch words[1] {
	case "diff", "push", "pull", "inspect":
		return true
	}
	return false
}

// plainWord is what no shell takes for anything else.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./…-]+$`)

// shellWord is a word as a shell is given it.
func shellWord(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
