// Package query turns the query string of a public read into a typed query, and makes and checks the cursors that
// carry a walk from page to page (interface, "Content read API"). It is strict: a parameter that a route does not
// take, one that is given twice, and a value that means nothing are VALIDATION_FAILED naming the parameter.
package query
