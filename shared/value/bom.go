package value

import "bytes"

// BOM is the byte order mark in UTF-8.
const BOM = "\uFEFF"

// TrimBOM returns a file or body without the byte order mark that some editors begin it with. Anywhere else the character
// is one like any other, a second one included.
func TrimBOM(data []byte) []byte { return bytes.TrimPrefix(data, []byte(BOM)) }
