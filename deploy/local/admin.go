package local

// MetricsURL is where core or an edge shows its metrics, such as MetricsURL("edge-2").
func (s *Stack) MetricsURL(name string) string { return "http://" + s.adminAddress(name) + "/metrics" }

// adminAddress is where a part serves its operators.
func (s *Stack) adminAddress(name string) string { return s.address(adminOf(name)) }

func adminOf(part string) string { return part + " metrics" }

// servesOperators tells core and edges from the services.
func servesOperators(name string) bool {
	return isCore(name) || isEdge(name)
}
