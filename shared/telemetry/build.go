package telemetry

import "runtime/debug"

// Build names the program by the revision it was built from: its first twelve characters, with "+changes" where the tree
// had some; "development" where the build does not say.
func Build() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	revision, modified := "", ""
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			revision = s.Value
		case "vcs.modified":
			if s.Value == "true" {
				modified = "+changes"
			}
		}
	}
	if revision == "" {
		return "development"
	}
	return revision[:min(12, len(revision))] + modified
}
