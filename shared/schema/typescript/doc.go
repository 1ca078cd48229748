// Package typescript writes collections as TypeScript: Source is a file of "svc/schema" builders that loads back to the
// same collection, and Types are the types of entries, as they are written and as they are read.
//
// Both are deterministic and formatted: two spaces, double quotes, short options on one line and long ones broken at
// about a hundred columns.
package typescript
