// Package table has what the performance table of package bench is measured on: documents of about 2 KB, the lists that are asked
// of them, and a store in this process that is filled with them and opened as an edge opens it.
//
// Reads in this process go through read.Engine without a cache of answers, so they are what an edge does between the request line
// and the response, without HTTP. The same paths can be sent to an edge that holds the same documents.
package table
