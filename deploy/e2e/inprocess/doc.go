// Package inprocess has the end-to-end tests whose cores and edges run inside the test process: with disks that lose what was
// not synced, clocks that are wrong, stores that are loaded without a follower. It runs with the race detector.
package inprocess
