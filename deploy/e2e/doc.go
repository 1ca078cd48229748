// Package e2e tests whole deployments from outside: a real database, stream, object store, core and edges on private ports,
// driven through HTTP alone. What it tests runs in the programs, not in the test process, so it runs without the race
// detector; package inprocess has the few tests for which that is not so.
//
// How a test begins says what it may do:
//
//   - newBed: a project of its own on the deployment that all tests share. Such tests run in parallel and break nothing.
//   - newFaultBed: the same, but it stops parts of the shared deployment. Such tests run alone, before the parallel ones, and
//     mend what they break.
//   - newPrivateBed: a deployment of its own, which it breaks as it likes while others run.
//
// Tests that break parts are in the files fault_*_test.go. No test asserts how long something takes, but waits until it is so;
// package bench measures. Sizes are small unless SVC_TEST_SCALE is set (localtest.Size), and random tests have fixed seeds
// unless SVC_TEST_SEED is (testrand.New).
package e2e
