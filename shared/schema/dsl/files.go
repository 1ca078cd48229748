package dsl

// Files lists the schema files of a folder that Load would read, as paths from the folder with slashes, in order. They
// are not evaluated.
func Files(dir string) ([]string, error) {
	sources, _, err := scan(dir)
	files := make([]string, len(sources))
	for i, s := range sources {
		files[i] = s.Path
	}
	return files, err
}
