//go:build !race

package e2e

// raceDetector tells that tests run under the race detector, many times slower.
const raceDetector = false
