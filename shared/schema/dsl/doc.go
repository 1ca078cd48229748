// Package dsl loads schema folders: TypeScript and JavaScript files that declare collections with the builders of the
// npm package "svc/schema" (interface, "Collection schema definition" and "Schema deployment semantics" 8).
//
// Load scans the folder, bundles the files, evaluates them in this process, and parses what they declare with package
// schema. The files can neither read nor write anything, know no clock and no chance, and are interrupted after five
// seconds, or when the heap has grown by 512 MB. That is for mistakes of a team in its own files: a single call of a
// function of the language, such as a search in a huge array, is not interrupted.
//
// Schema files are ES modules in the language of today, types and all, with what comes with the language itself. They
// import "svc/schema" and each other, by relative paths; require, module and import() do not exist. Neither do eval and
// the Function constructor, Date without arguments, Math.random, await at the top, and anything of Node.js or a browser.
// What the language provides is frozen, so no file changes what another one means. Each file is evaluated once, whatever
// imports it. What is exported must be data: plain objects and arrays, no getters, functions or objects of classes, and no
// whole numbers of more than 53 bits, which exact("…") takes as text. All of that is refused with an error that says so.
//
// Every fault is told with its file, with line and column where it is one of a builder or of code, and as many at once as
// can be found.
package dsl
