// Package cli is the command line "svc": what it is called with, what it prints and how it exits (interface,
// "Client commands").
//
// Every command prints for people by default: aligned tables, in colour on a terminal. With --json it prints exactly
// {"version":1,"data":{…}} in one line on standard output, or {"version":1,"error":{…}} where it failed; warnings,
// errors in words and progress go to standard error in either case. The members of data are only ever added to. The
// exit codes are the constants of type Exit.
package cli
