package e2e

import (
	"testing"

	"svc/core/client"
	"svc/deploy/local"
	"svc/deploy/local/localtest"
)

// newPrivateBed makes a project with these collections in a deployment that only this test uses, and may ill-treat.
func newPrivateBed(t *testing.T, cfg local.Config, collections ...string) *bed {
	t.Helper()
	b := &bed{t: t, stack: localtest.Stack(t, cfg)}
	account, err := b.stack.Account(t.Context())
	b.check(err)
	b.account, b.api = account, client.New(b.stack.URL("core"), account.Token, nil)
	b.core, b.edge1, b.edge2 = b.node("core"), b.node("edge-1"), b.node("edge-2")
	b.project = b.newProject(collections...)
	b.held()
	return b
}
