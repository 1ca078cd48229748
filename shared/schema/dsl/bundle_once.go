package dsl

import (
	"regexp"
	"strings"
)

// failedName is the global value that a file throws which failed before and is imported again.
const failedName = "__svc_failed"

// The bundler has every file evaluated once by a function that catches what the file throws, and throws it again. Then
// the engine no longer knows where that was. caught finds the function, in which names may be others in each bundle, and
// passed lets it pass and only remembers it, in as many lines.
var caught = regexp.MustCompile(strings.NewReplacer("NAME", `([\w$]+)`, "\n", `\n`).Replace(
	`\(NAME, NAME, NAME\) => function NAME\(\) \{
    if \(NAME\) throw NAME\[0\];
    try \{
      (return NAME && \(NAME = \(0, NAME\[NAME\(NAME\)\[0\]\]\)\(NAME = 0\)\)), NAME;
    \} catch \(NAME\) \{
      throw NAME = \[NAME\], NAME;
    \}`))

// Of what caught finds, these are the parts that passed is made of.
const (
	partFn, partRes, partErr, partInit, partReturn = 1, 2, 3, 4, 7
)

func passed(part func(i int) string) string {
	return `(` + part(partFn) + `, ` + part(partRes) + `, ` + part(partErr) + `) => function ` + part(partInit) + `() {
    if (` + part(partErr) + `) throw ` + part(partErr) + `[0];
    var done = !` + part(partFn) + `; try {
      ` + part(partReturn) + `, done = true, ` + part(partRes) + `;
    } finally {
      done || (` + part(partErr) + ` = [` + failedName + `]);
    }`
}

// letPass puts the second in place of the first.
func letPass(code string) string {
	at := caught.FindStringSubmatchIndex(code)
	if at == nil { // there is nothing to evaluate
		return code
	}
	return code[:at[0]] + passed(func(i int) string { return code[at[2*i]:at[2*i+1]] }) + code[at[1]:]
}
