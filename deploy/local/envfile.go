package local

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// envFile is present exactly while the stack is ready.
func (s *Stack) envFile() string { return filepath.Join(s.cfg.Dir, "local.env") }

// setting is one line of the environment file.
type setting struct{ name, value string }

func (s *Stack) settings(account Account) []setting {
	settings := []setting{{"SVC_API_URL", s.URL("core")}}
	metrics := []setting{{"SVC_CORE_METRICS_URL", s.MetricsURL("core")}}
	for i, name := range s.Edges() {
		variable := "SVC_EDGE"
		if i > 0 {
			variable = fmt.Sprintf("SVC_EDGE%d", i+1)
		}
		settings = append(settings, setting{variable + "_URL", s.URL(name)})
		metrics = append(metrics, setting{variable + "_METRICS_URL", s.MetricsURL(name)})
	}
	settings = append(settings, metrics...)
	return append(settings, setting{"SVC_ORGANIZATION", account.Organization},
		setting{"SVC_PROJECT", account.Project}, setting{"SVC_TOKEN", account.Token})
}

func (s *Stack) writeEnvFile(account Account) error {
	var text strings.Builder
	for _, line := range s.settings(account) {
		fmt.Fprintf(&text, "%s=%s\n", line.name, line.value)
	}
	return replaceFile(s.envFile(), []byte(text.String()))
}

func (s *Stack) removeEnvFile() error {
	if err := os.Remove(s.envFile()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the environment file: %w", err)
	}
	return nil
}
