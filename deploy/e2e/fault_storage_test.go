package e2e

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"svc/deploy/local"
	"svc/shared/testrand"
)

// TestObjectStorageMayFail: with object storage slow, wrong, half or absent, releases that are too large for the stream reach
// every edge through core, so do small ones of another project, an edge that lost its disk comes
// up, and no snapshot counts that is not whole.
func TestObjectStorageMayFail(t *testing.T) {
	chance := testrand.New(t)
	store := newStorage(t)
	b := newPrivateBed(t, local.Config{Environment: map[local.Kind][]string{local.Core: store.endpoint(), local.Edge: store.endpoint()}}, posts)
	store.stack.Store(b.stack)
	set := b.set("Posts")
	id := b.create(set, "posts", postNumber(1))
	b.publish(set)
	other := b.beside(posts)
	other.large(chance, "with sound storage")
	if _, err := b.snapshot(other.project.Slug); err != nil {
		t.Fatal(err)
	}

	for _, m := range []mood{absent, slow, wrong, half} {
		t.Run(string(m), func(t *testing.T) {
			b, other := b.on(t), other.on(t)
			store.turn(m)
			other.large(chance, "with "+string(m)+" storage")
			b.await(b.write(id, map[string]string{"body": string(m)}), "posts", b.edges()...)
			ctx, cancel := b.patient()
			defer cancel()
			if printed, err := b.stack.Operate(ctx, "core", "snapshot", other.project.Slug); err == nil {
				t.Errorf("a snapshot is said to be whole: %s", printed)
			}
			other.fromNothing("edge-2")
			if store.turn(sound) == 0 {
				t.Error("nothing met the fault")
			}
			if printed, err := b.snapshot(other.project.Slug); err != nil {
				t.Errorf("once storage is sound again: %v", err)
			} else {
				t.Logf("%s", printed)
			}
			other.fromNothing("edge-2")
		})
	}
	t.Run("damaged for good", func(t *testing.T) { other.on(t).damaged() })
}

// snapshot has core's program write a snapshot.
func (b *bed) snapshot(project string) (string, error) {
	return b.stack.Operate(b.t.Context(), "core", "snapshot", project)
}

// large publishes a release that no message of the stream would hold, and waits until every edge serves it.
func (b *bed) large(chance *rand.Rand, title string) {
	b.t.Helper()
	noise := make([]byte, 1000)
	set := b.importPosts(b.project.Slug, 1000, func(n int) post {
		for i := range noise {
			noise[i] = byte(chance.Uint32())
		}
		return post{Title: fmt.Sprintf("%s %04d", title, n), Body: hex.EncodeToString(noise)}
	})
	release := b.publish(set)
	answered := time.Now()
	b.await(release, "posts", b.nodes()...)
	b.t.Logf("release %d, %s, showed after %s", release, title, time.Since(answered).Round(time.Millisecond))
}

// fromNothing has an edge lose its disk and come up again, with what core has.
func (b *bed) fromNothing(edge string) {
	b.t.Helper()
	b.clear(edge)
	b.agree([]string{"posts"}, b.edges()...)
}

// clear restarts an edge without anything on its disk.
func (b *bed) clear(edge string) {
	b.t.Helper()
	b.check(b.stack.StopPart(edge))
	b.check(b.stack.ClearPart(edge))
	began := time.Now()
	b.check(b.stack.StartPart(b.t.Context(), edge))
	b.t.Logf("%s came up from nothing in %s", edge, time.Since(began).Round(time.Millisecond))
}

// damaged: core no longer has the changes, and the objects of the snapshot are not what was written. Core writes them again for
// the edge that needs them.
func (b *bed) damaged() {
	b.t.Helper()
	s3, bucket := b.objects()
	pool := b.database()
	defer pool.Close()
	if _, err := pool.Exec(b.t.Context(), `DELETE FROM change WHERE log = $1 AND seq <= (SELECT max(seq) FROM snapshot WHERE log = $1)`, b.project.ID); err != nil {
		b.t.Fatal(err)
	}
	for _, damage := range []struct { // objects that are gone come back only if an edge needs them, so they are last
		name string
		do   func(o minio.ObjectInfo) error
	}{
		{"other bytes", func(o minio.ObjectInfo) error {
			_, err := s3.PutObject(b.t.Context(), bucket, o.Key, bytes.NewReader(make([]byte, o.Size)), o.Size, minio.PutObjectOptions{})
			return err
		}},
		{"gone", func(o minio.ObjectInfo) error {
			return s3.RemoveObject(b.t.Context(), bucket, o.Key, minio.RemoveObjectOptions{})
		}},
	} {
		spoiled := 0
		for o := range s3.ListObjects(b.t.Context(), bucket, minio.ListObjectsOptions{Prefix: string("snapshots/" + b.project.ID + "/"), Recursive: true}) {
			b.check(o.Err)
			b.check(damage.do(o))
			spoiled++
		}
		b.t.Logf("%s: %d objects", damage.name, spoiled)
		if spoiled < 3 {
			b.t.Fatalf("there are %d objects of snapshots", spoiled)
		}
		b.fromNothing("edge-2")
	}
}

// objects opens the deployment's object storage, behind the back of everything that uses it.
func (b *bed) objects() (*minio.Client, string) {
	b.t.Helper()
	c := b.stack.Storage()
	s3, err := minio.New(c.Address, &minio.Options{Creds: credentials.NewStaticV4(c.AccessKey, c.SecretKey, ""), Region: c.Region})
	b.check(err)
	return s3, c.Bucket
}
