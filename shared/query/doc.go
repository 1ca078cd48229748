// Package query turns the query string of a public read into a typed query, and makes and checks the cursors that
// carry a walk from page to page (interface, "Content read API"). It is strict: a parameter that a route does not
// take, one that is given twice, and a value that means nothing are VALIDATION_FAILED naming the parameter.
//
// # Filters and orders
//
// Parse reads them without a schema; Bind holds them against one. What is bound decides by keys (value.KeyOf) and allocates
// nothing for an entry: Conditions.Match says whether a list has it, Order.Key where it stands. Conditions.All are for stores that
// look up keys in indexes.
//
// No value is no value: filter[title]= is refused, as it is where a variable of a page was not set, and exists=false is what asks
// for entries without a title. An empty text, which is a value, is found by in (filter[title][in]=,). In the values of in, a
// backslash stands before a comma or another backslash only.
package query
