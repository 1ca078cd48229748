// Package e2e tests whole deployments from outside: a real database, stream, object store, core and edges on private ports,
// driven through HTTP alone. Its tests share one deployment and put back what they take down.
package e2e
