package localtest_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/redis/go-redis/v9"

	"svc/deploy/local/localtest"
	"svc/shared/wiretest"
)

func connect(t *testing.T, address string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

func TestEveryTestHasADatabaseOfItsOwn(t *testing.T) {
	for range 2 {
		conn := connect(t, localtest.Postgres(t))
		if _, err := conn.Exec(t.Context(), "CREATE TABLE entry (id text)"); err != nil {
			t.Fatal(err)
		}
	}
}

func TestDatabaseIsUTF8InTheCLocale(t *testing.T) {
	conn := connect(t, localtest.Postgres(t))
	var encoding, locale string
	err := conn.QueryRow(t.Context(),
		"SELECT pg_encoding_to_char(encoding), datcollate FROM pg_database WHERE datname = current_database()").
		Scan(&encoding, &locale)
	if err != nil || encoding != "UTF8" || locale != "C" {
		t.Fatalf("encoding %s, locale %s, error %v", encoding, locale, err)
	}
}

func TestTemplateIsPreparedOnce(t *testing.T) {
	var prepared atomic.Int32
	prepare := func(ctx context.Context, address string) error {
		prepared.Add(1)
		conn, err := pgx.Connect(ctx, address)
		if err != nil {
			return err
		}
		defer conn.Close(ctx)
		_, err = conn.Exec(ctx, "CREATE TABLE entry (id text)")
		return err
	}
	key := t.Name() + time.Now().String()
	for range 3 {
		t.Run("copy", func(t *testing.T) {
			t.Parallel()
			conn := connect(t, localtest.PostgresFrom(t, key, prepare))
			if _, err := conn.Exec(t.Context(), "INSERT INTO entry VALUES ('a')"); err != nil {
				t.Fatal(err)
			}
		})
	}
	t.Cleanup(func() {
		if n := prepared.Load(); n != 1 {
			t.Errorf("prepared %d times", n)
		}
	})
}

func TestObjectsAreKeptAndSignaturesVerified(t *testing.T) {
	bucket := localtest.S3(t)
	client := bucket.Client(t)
	body := []byte("content")
	ctx := t.Context()
	if _, err := client.PutObject(ctx, bucket.Name, "a/b", bytes.NewReader(body), int64(len(body)), minio.PutObjectOptions{}); err != nil {
		t.Fatal(err)
	}
	object, err := client.GetObject(ctx, bucket.Name, "a/b", minio.GetObjectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(object); err != nil || !bytes.Equal(got, body) {
		t.Fatalf("read %q, %v", got, err)
	}

	signed, err := client.PresignedGetObject(ctx, bucket.Name, "a/b", time.Minute, url.Values{})
	if err != nil {
		t.Fatal(err)
	}
	if status := get(t, signed.String()); status != http.StatusOK {
		t.Errorf("a signed address answers %d", status)
	}
	if status := get(t, strings.Replace(signed.String(), "X-Amz-Signature=", "X-Amz-Signature=0", 1)); status != http.StatusForbidden {
		t.Errorf("a forged signature answers %d", status)
	}
	address, err := url.Parse(bucket.Endpoint)
	if err != nil {
		t.Fatal(err)
	}
	stranger, err := minio.New(address.Host, &minio.Options{
		Creds: credentials.NewStaticV4(bucket.AccessKey, "wrong"+bucket.SecretKey, ""), Region: bucket.Region,
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = stranger.StatObject(ctx, bucket.Name, "a/b", minio.StatObjectOptions{})
	if status := minio.ToErrorResponse(err).StatusCode; status != http.StatusForbidden {
		t.Errorf("a wrong secret key answers %d, %v", status, err)
	}
}

// The relay of snapshots moves its pointer by compare-and-set.
func TestConditionalWritesAreHonoured(t *testing.T) {
	bucket := localtest.S3(t)
	client := bucket.Client(t)
	put := func(options minio.PutObjectOptions) (minio.UploadInfo, error) {
		return client.PutObject(t.Context(), bucket.Name, "pointer", strings.NewReader("x"), 1, options)
	}
	var absent, same minio.PutObjectOptions
	absent.SetMatchETagExcept("*")
	first, err := put(absent)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := put(absent); minio.ToErrorResponse(err).StatusCode != http.StatusPreconditionFailed {
		t.Errorf("creating it twice: %v", err)
	}
	same.SetMatchETag(first.ETag)
	if _, err := put(same); err != nil {
		t.Errorf("replacing what was read: %v", err)
	}
	same.SetMatchETag("00000000000000000000000000000000")
	if _, err := put(same); minio.ToErrorResponse(err).StatusCode != http.StatusPreconditionFailed {
		t.Errorf("replacing something else: %v", err)
	}
}

func get(t *testing.T, address string) int {
	t.Helper()
	response, err := wiretest.Client.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	return response.StatusCode
}

func TestEveryTestHasARedisOfItsOwn(t *testing.T) {
	for range 2 {
		options, err := redis.ParseURL(localtest.Redis(t))
		if err != nil {
			t.Fatal(err)
		}
		client := redis.NewClient(options)
		defer client.Close()
		if n, err := client.Incr(t.Context(), "n").Result(); n != 1 || err != nil {
			t.Fatalf("n = %d, %v", n, err)
		}
	}
}

func TestNATSKeepsItsMessagesWhenKilled(t *testing.T) {
	server := localtest.StartNATS(t)
	connect := func() jetstream.JetStream {
		conn, err := nats.Connect(server.URL)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(conn.Close)
		streams, err := jetstream.New(conn)
		if err != nil {
			t.Fatal(err)
		}
		return streams
	}
	ctx := t.Context()
	streams := connect()
	config := jetstream.StreamConfig{Name: "LOG", Subjects: []string{"log.>"}, Storage: jetstream.FileStorage}
	if _, err := streams.CreateStream(ctx, config); err != nil {
		t.Fatal(err)
	}
	if _, err := streams.Publish(ctx, "log.a", []byte("1")); err != nil {
		t.Fatal(err)
	}
	server.Kill(t)
	if _, err := nats.Connect(server.URL); err == nil {
		t.Error("a killed server answers")
	}
	server.Start(t)
	stream, err := connect().Stream(ctx, "LOG")
	if err != nil {
		t.Fatal(err)
	}
	if message, err := stream.GetLastMsgForSubject(ctx, "log.a"); err != nil || string(message.Data) != "1" {
		t.Fatalf("after a restart: %v, %v", message, err)
	}
}

func TestNATSRefusesStrangers(t *testing.T) {
	address, err := url.Parse(localtest.NATS(t))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := nats.Connect("nats://" + address.Host); err == nil {
		t.Error("connected without the token")
	}
}

func TestDatabaseComesBackWhenKilled(t *testing.T) {
	server := localtest.StartPostgres(t)
	conn := connect(t, server.URL)
	if _, err := conn.Exec(t.Context(), "CREATE TABLE entry (id text)"); err != nil {
		t.Fatal(err)
	}
	server.Kill(t)
	server.Start(t)
	if _, err := connect(t, server.URL).Exec(t.Context(), "SELECT * FROM entry"); err != nil {
		t.Error(err)
	}
}
