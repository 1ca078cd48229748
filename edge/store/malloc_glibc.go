//go:build cgo && linux

package store

// Pebble keeps its blocks in C's heap, where they come and go on every thread. With glibc's usual arena for each
// thread the process soon occupies more than twice of what they take; with one arena a third more. The limit counts
// only before a second thread allocates, so it is set before main.

// #include <stdlib.h>
// #ifdef __GLIBC__
// #include <malloc.h>
// static void __attribute__((constructor)) svc_one_arena(void) { mallopt(M_ARENA_MAX, 1); }
// #endif
import "C"
