//go:build !race

package dsl

const underRace = false
