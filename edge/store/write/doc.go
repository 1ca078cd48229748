// Package write turns the changes of a log into rows: a Writer writes what one change, or a load, brings into a generation.
//
// State is what writing needs to know of a log. It is kept between changes and changed in place. After an error it must be thrown
// away and read again.
//
// A release (release.go) writes, collection by collection, a row for every entry and document and the places in the default
// order that come and go (item.go), the indexes of fields (package index) and what it did to
// the live set (delta.go). Schemas, ranks, settings and keys have a file each. A load writes entries
// and documents alone; the rest is made at its end from what came out.
//
// A schema's new definitions are noted as not built; BuildNext brings in what was published before, batch by batch. A TextPass
// indexes the words of what many releases published (texts.go).
//
// What other parts of an edge depend on of a release, such as the references of its documents, can be found where its items
// are written: publication.item.
package write
