// Package dsl loads schema folders: TypeScript and JavaScript files that declare collections with the builders of the
// npm package "svc/schema" (interface, "Collection schema definition" and "Schema deployment semantics" 8).
//
// Load scans the folder, has its files bundled and evaluated by a child process of the same program, and parses what
// they declare with package schema. Nothing but the text of the files crosses to the child, and nothing but JSON comes
// back: the files can neither read nor write anything, know no clock and no chance, and have five seconds and 512 MB.
// A program that loads schemas therefore calls RunChild first thing in main; tests do so in TestMain.
//
// Schema files are ES modules in the language of today, types and all, with what comes with the language itself. They
// import "svc/schema" and each other, by relative paths; require, module and import() do not exist. Neither do eval and
// the Function constructor, Date without arguments, Math.random, await at the top, and anything of Node.js or a browser;
// local time is UTC. What the language provides is frozen, so no file changes what another one means. Each file is
// evaluated once, whatever imports it. What is exported must be data: plain objects and arrays, no getters, functions or
// objects of classes. A number literal must be a number that JavaScript can hold; exact("…") takes the text of others. All
// of that is refused with an error that says so.
//
// Every fault is told with file, line and column where it has one, and as many at once as can be found.
package dsl
