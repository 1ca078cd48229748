package e2e

import (
	"os"
	"strconv"
)

// SVC_TEST_SCALE is how many times as much the long tests do than they do by default; `make soak` sets it.
var scale = scaleOf(os.Getenv("SVC_TEST_SCALE"))

func scaleOf(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 1
	}
	return n
}
