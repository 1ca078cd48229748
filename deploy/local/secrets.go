package local

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// secrets are made at the first start and kept, so that the data stays readable.
type secrets struct {
	PostgresPassword string `json:"postgresPassword"`
	NATSToken        string `json:"natsToken"`
	RedisPassword    string `json:"redisPassword"`
	S3AccessKey      string `json:"s3AccessKey"`
	S3SecretKey      string `json:"s3SecretKey"`
	ClusterSecret    string `json:"clusterSecret"`
}

func newSecrets() secrets {
	return secrets{
		PostgresPassword: rand.Text(),
		NATSToken:        rand.Text(),
		RedisPassword:    rand.Text(),
		S3AccessKey:      "local" + rand.Text()[:15],
		S3SecretKey:      rand.Text() + rand.Text(),
		ClusterSecret:    rand.Text() + rand.Text(),
	}
}

// loadSecrets reads the secrets of the stack in dir, and makes them first when there are none.
func loadSecrets(dir string) (secrets, error) {
	path := filepath.Join(dir, "secrets.json")
	var kept secrets
	err := readPrivate(path, &kept)
	if errors.Is(err, fs.ErrNotExist) {
		made := newSecrets()
		return made, writePrivate(path, made)
	}
	return kept, err
}

// readPrivate reads a JSON file that writePrivate wrote.
func readPrivate(path string, into any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	return nil
}

// writePrivate writes a value as JSON into a file that only its owner can read, whole or not at all.
func writePrivate(path string, value any) error {
	text, err := json.Marshal(value, jsontext.WithIndent("  "))
	if err != nil {
		return fmt.Errorf("encode %s: %w", filepath.Base(path), err)
	}
	return replaceFile(path, append(text, '\n'))
}

// replaceFile puts a file with mode 0600 in place in one step.
func replaceFile(path string, content []byte) error {
	next, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer os.Remove(next.Name())
	_, err = next.Write(content)
	if err := errors.Join(err, next.Sync(), next.Close()); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return os.Rename(next.Name(), path)
}
