package localtest

import (
	"os"
	"strconv"
)

// Size is how much of something a long test does: a little by default, and where SVC_TEST_SCALE is set, as in `make soak`,
// the full size times that.
func Size(little, full int) int {
	scale, err := strconv.Atoi(os.Getenv("SVC_TEST_SCALE"))
	if err != nil || scale < 1 {
		return little
	}
	return full * scale
}
