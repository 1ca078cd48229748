package cli

import (
	"regexp"
	"slices"
	"strings"
)

// typed is commandLine in quotes, for a sentence.
func (a *app) typed(words ...string) string { return `"` + a.commandLine(words...) + `"` }

// commandLine is a command as it is to be typed to work with the same service, project and folder as this call: the flags
// that say so here are given there as well. A token is not shown, only that one is to be given.
func (a *app) commandLine(words ...string) string {
	command, sub := words[0], words[min(1, len(words)-1)]
	words = append([]string{"svc"}, words...)
	add := func(works bool, flag, value string) {
		if works && value != "" {
			words = append(words, flag, value)
		}
	}
	add(command != "init", "--api-url", a.flags.apiURL)
	add(slices.Contains([]string{"schema", "types", "entries", "change-sets", "releases"}, command), "--project", a.flags.project)
	add(command == "types" || command == "schema" && slices.Contains([]string{"diff", "push", "pull", "inspect"}, sub), "--dir", a.flags.dir)
	for i, word := range words {
		words[i] = shellWord(word)
	}
	if command != "init" && a.flags.token != "" {
		words = append(words, "--token", "…")
	}
	return strings.Join(words, " ")
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
