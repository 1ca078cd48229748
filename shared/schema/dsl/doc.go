// Package dsl loads schema folders: TypeScript and JavaScript files that declare collections with the builders of the
// npm package "svc/schema" (interface, "Collection schema definition" and "Schema deployment semantics" 8).
//
// Load scans the folder, has its files bundled and evaluated by a child process of the same program, and parses what
// they declare with package schema. Nothing but the text of the files crosses to the child, and nothing but JSON comes
// back: the files can neither read nor write anything, know no clock and no chance, and have five seconds and 512 MB.
// A program that loads schemas therefore calls RunChild first thing in main; tests do so in TestMain.
//
// Every fault is told with file, line and column where it has one, and as many at once as can be found.
package dsl
