package local

// SuggestPorts finds a first port whose whole run is free now.
func SuggestPorts() int { return suggestPorts() }
