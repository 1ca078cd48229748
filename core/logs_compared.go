package core

import (
	"fmt"
	"io"
)

// printCompared says what a check compared, and nothing without one.
func printCompared(w io.Writer, all []LogStatus, unreachable error) error {
	if len(all) == 0 || all[0].State == "" || unreachable != nil {
		return nil
	}
	edges, count := map[string]bool{}, map[string]int{}
	for _, l := range all {
		if l.Why != "" {
			count["not compared"]++
			if _, err := fmt.Fprintf(w, "%s: not compared: %s\n", l.Log, l.Why); err != nil {
				return err
			}
		}
		for _, e := range l.Edges {
			edges[e.Edge] = true
			count[e.State]++
			if _, err := fmt.Fprintf(w, "%s on %s: %s\n", l.Log, e.Edge, e.verdict()); err != nil {
				return err
			}
		}
	}
	result := "all equal"
	if count["differs"]+count["not compared"] > 0 || len(edges) == 0 {
		result = fmt.Sprintf("%d equal, %d differ, %d not compared", count["equal"], count["differs"], count["not compared"])
	}
	_, err := fmt.Fprintf(w, "%s compared in %s: %s\n", counted(len(edges), "edge"), counted(len(all), "log"), result)
	return err
}

func (e *EdgeStatus) verdict() string {
	if e.Why != "" {
		return e.State + ": " + e.Why
	}
	return e.State
}
