package local_test

import (
	"strings"
	"testing"

	"svc/deploy/local"
)

func TestConfigurationReportsEveryFault(t *testing.T) {
	t.Parallel()
	err := local.Config{Ports: 65533, Seed: "full", Parts: []local.Kind{"mysql"}, Edges: -1}.Validate()
	if err == nil {
		t.Fatal("accepted")
	}
	for _, fault := range []string{"SVC_LOCAL_DIR", "SVC_LOCAL_PORTS", "SVC_LOCAL_SEED", "mysql", "-1 edges"} {
		if !strings.Contains(err.Error(), fault) {
			t.Errorf("%q is missing in %v", fault, err)
		}
	}
}

func TestAPortThatIsNoNumberIsNamed(t *testing.T) {
	t.Setenv("SVC_LOCAL_PORTS", "x")
	_, err := local.FromEnvironment()
	if err == nil || err.Error() != `SVC_LOCAL_PORTS: "x" must be a number between 1024 and 65526, or 0 for free ports` {
		t.Errorf("error %v", err)
	}
}

func TestEnvironmentDefaults(t *testing.T) {
	for _, name := range []string{"SVC_LOCAL_DIR", "SVC_LOCAL_PORTS", "SVC_LOCAL_SEED"} {
		t.Setenv(name, "")
	}
	cfg, err := local.FromEnvironment()
	if err != nil || cfg.Dir != "var" || cfg.Ports != 7400 || cfg.Seed != local.SeedDemo {
		t.Errorf("%+v, %v", cfg, err)
	}
	if err := cfg.Validate(); err != nil {
		t.Error(err)
	}
}
