package bench

import (
	"os"
	"path"
	"regexp"
)

// absolutePath is the beginning of a path, its first directory, and the rest. The path of a URL follows a host.
var absolutePath = regexp.MustCompile(`(^|[^\w./-])(/[\w.-]+)((?:/[\w.@+-]+)+)`)

// withoutPaths leaves of each path of this machine its last name: results are committed, and concern no directory of anybody's. Paths
// of the interface stay, which this machine has no directory for.
func withoutPaths(text string) string {
	return absolutePath.ReplaceAllStringFunc(text, func(found string) string {
		parts := absolutePath.FindStringSubmatch(found)
		if _, err := os.Stat(parts[2]); err != nil {
			return found
		}
		return parts[1] + path.Base(parts[3])
	})
}
