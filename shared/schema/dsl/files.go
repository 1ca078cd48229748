package dsl

import (
	"context"
	"slices"
)

// Files lists the schema files of a folder that Load would read, as paths from the folder with slashes, in order. They
// are not evaluated. A folder that is not looked through to its end is an *Error.
func Files(ctx context.Context, dir string) ([]string, error) {
	sources, issues, err := scan(ctx, dir, MaxTime)
	if i := slices.IndexFunc(issues, func(i Issue) bool { return i.File == "" }); err == nil && i >= 0 {
		err = &Error{Issues: issues[i:]}
	}
	files := make([]string, len(sources))
	for i, s := range sources {
		files[i] = s.Path
	}
	return files, err
}
