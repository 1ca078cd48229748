//go:build !unix

package cli

import "os"

// terminalWidth returns 0: the width is not known here, and nothing is cut.
func terminalWidth(*os.File) int { return 0 }
