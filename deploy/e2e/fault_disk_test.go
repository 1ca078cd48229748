package e2e

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"svc/bench/node"
	"svc/core/client"
	"svc/deploy/local"
	"svc/deploy/local/localtest"
	"svc/replication/record"
	"svc/shared/telemetry"
)

// diskBed is a deployment with a part on a small disk of its own, and a published post.
func diskBed(t *testing.T, part string, size int64, environment ...string) (b *bed, id string) {
	t.Helper()
	localtest.NeedsDisks(t)
	b = newPrivateBed(t, local.Config{
		Disks:           map[string]int64{part: size},
		PartEnvironment: map[string][]string{part: environment},
	}, posts, memos)
	set := b.set("Posts")
	id = b.create(set, "posts", postNumber(1))
	for n := range 200 {
		b.create(set, "posts", postNumber(n+2))
	}
	b.publish(set)
	b.await(1, "posts", b.nodes()...)
	return b, id
}

// TestAnEdgeWithAFullDiskServesWhatItHas: it takes no changes and says so, lets no one in whom it may no longer know, hinders
// no other edge, comes up again in that state, and catches up by itself once there is room.
func TestAnEdgeWithAFullDiskServesWhatItHas(t *testing.T) {
	b, id := diskBed(t, "edge-2", 512<<20, "SVC_EDGE_MIN_FREE=67108864", "SVC_CREDENTIAL_MAX_AGE=5s")
	b.memo() // release 2
	key := b.mint("content:read")
	b.same(with(key.Secret, b.edges()...), b.list("memos"))
	b.check(b.stack.FillDisk("edge-2", 0))
	b.awaitAlarm("edge-2", telemetry.DiskFull)
	b.until(func(ctx context.Context) error { // it looks at the disk once a second
		release := b.write(id, map[string]string{"body": time.Now().String()})
		b.await(release, "posts", b.edge1, b.core)
		answer, err := b.edge2.Get(ctx, b.list("posts"))
		if err == nil && answer.Release+5 > release {
			err = fmt.Errorf("with a full disk the edge serves release %d of %d", answer.Release, release)
		}
		return err
	})
	before, err := b.edge2.Get(t.Context(), b.list("posts"))
	b.check(err)
	var newest uint64
	for n := range 20 {
		newest = b.write(id, map[string]string{"body": fmt.Sprintf("edit %d", n)})
		b.await(newest, "posts", b.edge1, b.core)
	}
	b.check(b.api.RevokeProjectKey(t.Context(), b.project.Slug, string(key.Key.ID)))
	b.still(b.edge2, before)
	b.refusedOn(b.edge2, key.Secret, b.list("memos"))

	b.check(b.stack.KillPart("edge-2"))
	b.check(b.stack.FillDisk("edge-2", 0))
	for range 2 { // the second time without what was set aside for the first
		b.check(b.stack.StartPart(t.Context(), "edge-2"))
		b.still(b.edge2, before)
		b.awaitAlarm("edge-2", telemetry.DiskFull)
		b.check(b.stack.KillPart("edge-2"))
	}
	b.check(b.stack.StartPart(t.Context(), "edge-2"))

	b.check(b.stack.FreeDisk("edge-2"))
	began := time.Now()
	b.await(newest, "posts", b.nodes()...)
	b.agree([]string{"posts"}, b.edges()...)
	b.refused(with(key.Secret, b.nodes()...), b.list("memos"), http.StatusUnauthorized, "AUTHENTICATION_REQUIRED")
	t.Logf("the edge was level %s after it had room", time.Since(began).Round(time.Millisecond))
	b.untilNoAlarm("edge-2", telemetry.DiskFull)
}

// TestNothingIsLostWhenTheDiskOfPostgresIsFull: writes are refused as unavailable, edges serve on, and what was acknowledged
// is there, in order, when there is room again.
func TestNothingIsLostWhenTheDiskOfPostgresIsFull(t *testing.T) {
	b, _ := diskBed(t, "postgres", 700<<20)
	before := b.same(b.edges(), b.list("posts"))
	acknowledged := uint64(1)
	b.check(b.stack.FillDisk("postgres", 0))
	refused := 0
	for n := 0; refused < 20; n++ {
		if n > 2000 {
			t.Fatal("a full disk takes everything")
		}
		release, err := b.attempt(n)
		if err != nil {
			refused++
			var answer *client.Error
			if !errors.As(err, &answer) || answer.Status != http.StatusServiceUnavailable {
				t.Fatalf("a write on a full disk: %v", err)
			}
			continue
		}
		acknowledged = max(acknowledged, release)
	}
	t.Logf("the disk took %d releases more, then refused", acknowledged-1)
	for range 20 {
		answer := b.same(b.edges(), b.list("posts"))
		if answer.Status != http.StatusOK || answer.Release < before.Release {
			t.Fatalf("not what was there before, release %d: %s", before.Release, answer)
		}
	}
	b.check(b.stack.FreeDisk("postgres"))
	var next uint64
	b.until(func(context.Context) (err error) {
		next, err = b.attempt(0)
		return err
	})
	releases, err := b.api.Releases(t.Context(), b.project.Slug)
	b.check(err)
	if got := uint64(len(releases)); got != next || next <= acknowledged {
		t.Errorf("there are %d releases after %d was acknowledged, and the newest is %d", got, acknowledged, next)
	}
	b.await(next, "posts", b.nodes()...)
	b.agree([]string{"posts"}, b.edges()...)
}

// TestReleasesPassAStreamWithAFullDisk: edges get them from core, an alarm says what is the matter, and the stream has all of
// them once there is room and the server is started again.
func TestReleasesPassAStreamWithAFullDisk(t *testing.T) {
	b, id := diskBed(t, "nats", 64<<20)
	b.check(b.stack.FillDisk("nats", 0))
	edit := func(n int) {
		release := b.write(id, map[string]string{"body": fmt.Sprintf("edit %d", n)})
		b.await(release, "posts", b.edges()...)
	}
	n := 0
	b.until(func(ctx context.Context) error { // what the stream has set aside takes some
		n++
		edit(n)
		return b.coreAlarmed(ctx)
	})
	for range localtest.Size(2, 12) {
		n++
		edit(n)
	}
	b.agree([]string{"posts"}, b.edges()...)
	b.check(b.stack.FreeDisk("nats"))
	b.restart("nats")
	b.await(b.write(id, map[string]string{"body": "once there is room"}), "posts", b.edges()...)
	b.streamEndsAt(map[string]record.Position{string(b.project.ID): b.level(string(b.project.ID), b.edges()...)})
	b.agree([]string{"posts"}, b.edges()...)
}

// attempt publishes a new post, unless some step is refused.
func (b *bed) attempt(n int) (uint64, error) {
	made, err := b.api.CreateEntry(b.t.Context(), b.project.Slug, "posts", client.NewEntry{Data: postNumber(1000 + n)})
	if err != nil {
		return 0, err
	}
	out, err := b.api.Publish(b.t.Context(), b.project.Slug, string(made.ChangeSet.ID))
	if err != nil {
		return 0, err
	}
	return *out.ChangeSet.ReleaseNumber, nil
}

// still asks that a node answers what it answered before.
func (b *bed) still(n node.Node, before node.Answer) {
	b.t.Helper()
	now, err := n.Get(b.t.Context(), before.Path)
	b.check(err)
	b.check(node.Same([]node.Answer{before, now}))
}

// refusedOn waits until a node lets no one in with a key.
func (b *bed) refusedOn(n node.Node, key, path string) {
	b.t.Helper()
	b.until(func(ctx context.Context) error {
		n.Token = key
		answer, err := n.Get(ctx, path)
		if err != nil {
			return err
		}
		if answer.Status == http.StatusOK {
			return fmt.Errorf("a key that was revoked is answered: %s", answer)
		}
		return nil
	})
}
