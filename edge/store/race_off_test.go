//go:build !race

package store

// raceDetector tells that tests run under the race detector, many times slower.
const raceDetector = false
