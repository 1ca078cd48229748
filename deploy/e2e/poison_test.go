package e2e

import (
	"context"
	"fmt"
	"net/http"
	"testing"
)

// TestAPoisonedRecordStopsItsOwnLogAlone: a release whose rows contradict its digest is sent to no edge. Its project is
// served as it was before, with an alarm in the list of edges; another project's releases and a revocation come through as
// ever. Once the rows are restored, the log goes on by itself with everything that was published meanwhile.
func TestAPoisonedRecordStopsItsOwnLogAlone(t *testing.T) {
	b := newBed(t, posts, memos)
	poisoned := b.beside(posts)
	set := poisoned.set("Posts")
	victim := poisoned.create(set, "posts", post{Title: "Victim", Body: "as it was"})
	poisoned.publish(set)
	poisoned.await(1, "posts", b.nodes()...)
	set = b.set("Posts")
	id := b.create(set, "posts", postNumber(1))
	b.publish(set)
	b.memo()

	set = poisoned.set("Poison")
	revision := poisoned.patch(set, victim, map[string]string{"body": "damaged later"})
	poisoned.spoil(revision, "damaged later", "damaged sooner")
	if release := poisoned.publish(set); release != 2 {
		t.Fatalf("the poisoned release is number %d", release)
	}
	poisoned.await(2, "posts", b.core)
	poisoned.until(poisoned.stopped)
	for n := range 3 {
		poisoned.write(victim, map[string]string{"body": fmt.Sprintf("edit %d behind the poison", n)})
	}

	for n := range 5 {
		b.await(b.write(id, map[string]string{"body": fmt.Sprintf("edit %d beside the poison", n)}), "posts", b.edges()...)
	}
	key := b.mint("content:read")
	b.same(with(key.Secret, b.edges()...), b.list("memos"))
	b.check(b.api.RevokeProjectKey(t.Context(), b.project.Slug, string(key.Key.ID)))
	b.refusedSoon(with(key.Secret, b.edges()...), b.list("memos"))
	b.agree([]string{"posts"}, b.edges()...)
	if answer := b.same(b.edges(), poisoned.single("posts", "victim")); answer.Status != http.StatusOK || answer.Release != 1 {
		t.Errorf("the poisoned project, not 200 at release 1: %s", answer)
	}
	for _, edge := range b.edges() {
		if answer, err := edge.Get(t.Context(), "/readyz"); err != nil || answer.Status != http.StatusOK {
			t.Errorf("%s is not ready: %s, %v", edge.Name, answer.Body, err)
		}
	}

	poisoned.spoil(revision, "damaged sooner", "damaged later")
	poisoned.await(5, "posts", b.nodes()...)
	poisoned.agree([]string{"posts"}, b.edges()...)
}

// spoil changes what the database holds of a revision, behind the back of everything that knows its hash.
func (b *bed) spoil(revision, from, to string) {
	b.t.Helper()
	pool := b.database()
	defer pool.Close()
	done, err := pool.Exec(b.t.Context(), `UPDATE revision SET fields = replace(fields, $2, $3) WHERE id = $1`, revision, from, to)
	b.check(err)
	if done.RowsAffected() != 1 {
		b.t.Fatalf("there is no revision %s", revision)
	}
}

// stopped is nil once every edge tells that the project's log stands still, and why.
func (b *bed) stopped(ctx context.Context) error {
	fleet, err := b.api.Edges(ctx)
	if err != nil {
		return err
	}
	told := 0
	for _, edge := range fleet {
		for _, l := range edge.Logs {
			if l.Log == string(b.project.ID) && l.Alarm != nil && l.Behind > 0 {
				told++
			}
		}
	}
	if told < len(b.edges()) {
		return fmt.Errorf("%d of %d edges tell that the log stands still", told, len(b.edges()))
	}
	return nil
}
