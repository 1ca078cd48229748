package blob

import (
	"errors"
	"fmt"
	"net/url"
	"time"
)

// Config is where the S3 store is.
type Config struct {
	Endpoint  string `env:"SVC_S3_ENDPOINT"` // "http://host:port" or "https://host"
	Region    string `env:"SVC_S3_REGION" envDefault:"us-east-1"`
	Bucket    string `env:"SVC_S3_BUCKET"`
	AccessKey string `env:"SVC_S3_ACCESS_KEY"`
	SecretKey string `env:"SVC_S3_SECRET_KEY"`

	// Connect bounds a connection attempt, Stall how long a connection may bring nothing at all. A transfer that takes
	// longer than Stall in all and moves fewer than 32 KiB a second is given up too.
	Connect time.Duration `env:"SVC_S3_CONNECT_TIMEOUT" envDefault:"2s"`
	Stall   time.Duration `env:"SVC_S3_STALL_TIMEOUT" envDefault:"20s"`
}

// Validate reports everything that is wrong at once.
func (c *Config) Validate() error {
	var faults []error
	if u, err := url.Parse(c.Endpoint); err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" ||
		(u.Path != "" && u.Path != "/") {
		faults = append(faults, fmt.Errorf("SVC_S3_ENDPOINT must be http://host:port or https://host, not %q", c.Endpoint))
	}
	for name, value := range map[string]string{
		"SVC_S3_REGION": c.Region, "SVC_S3_BUCKET": c.Bucket,
		"SVC_S3_ACCESS_KEY": c.AccessKey, "SVC_S3_SECRET_KEY": c.SecretKey,
	} {
		if value == "" {
			faults = append(faults, fmt.Errorf("%s must be set", name))
		}
	}
	if c.Connect <= 0 || c.Stall <= 0 {
		faults = append(faults, errors.New("SVC_S3_CONNECT_TIMEOUT and SVC_S3_STALL_TIMEOUT must be above zero"))
	}
	return errors.Join(faults...)
}
