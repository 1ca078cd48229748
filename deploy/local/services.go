package local

import (
	"fmt"
	"os"
	"path/filepath"

	"svc/deploy/local/process"
)

// ServiceURL is the address of a running service with its secret in it, as the programs' configuration takes it; that of
// S3 is bare.
func (s *Stack) ServiceURL(kind Kind) string {
	switch kind {
	case Postgres:
		return s.postgresURL("", postgresDatabase)
	case NATS:
		return s.natsURL("")
	case Redis:
		return s.redisURL("")
	case S3:
		return s.s3URL("")
	}
	return ""
}

// embeddedSpec runs a server that is part of the program "local" (package embedded).
func (s *Stack) embeddedSpec(name string, env ...string) func() (process.Spec, error) {
	return func() (process.Spec, error) {
		dir := s.Dir(name)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return process.Spec{}, fmt.Errorf("data directory of %s: %w", name, err)
		}
		env := append(env, "SVC_PART_LISTEN="+s.address(name), "SVC_PART_DIR="+dir)
		return process.Spec{
			Path: filepath.Join(s.cfg.Bin, "local"),
			Args: []string{"part", name},
			Env:  append(basicEnvironment(), env...),
		}, nil
	}
}
