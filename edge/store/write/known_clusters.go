package write

import (
	"slices"

	"svc/edge/store/layout"
)

// knownClusters are clusters in force that were met lately, with their fill, in the order of their first places. Every
// change of a cluster goes through the log state, so none of them is out of date.
type knownClusters []knownCluster

type knownCluster struct {
	layout.Cluster
	ClusterFill
}

func (k knownClusters) find(first *layout.SortKey) (int, bool) {
	return slices.BinarySearchFunc(k, first, func(one knownCluster, first *layout.SortKey) int { return one.First.Compare(first) })
}

func (k *knownClusters) remember(s layout.Cluster, f ClusterFill) {
	i, found := k.find(&s.First)
	switch {
	case found:
		(*k)[i] = knownCluster{s, f}
	case len(*k) >= maxKnownClusters:
		*k = append((*k)[:0], knownCluster{s, f})
	default:
		*k = slices.Insert(*k, i, knownCluster{s, f})
	}
}

// holding returns the cluster that holds a place, if it is known. There is no other, since ranges do not overlap.
func (k knownClusters) holding(at *layout.SortKey) (s layout.Cluster, found bool) {
	i, found := k.find(at)
	if !found {
		i--
	}
	if i < 0 || !k[i].Holds(at) {
		return s, false
	}
	return k[i].Cluster, true
}

func (k knownClusters) fillOf(s *layout.Cluster) (f ClusterFill, known bool) {
	i, found := k.find(&s.First)
	if !found {
		return f, false
	}
	return k[i].ClusterFill, true
}

// clusterNow is ClusterAt for what is in force now.
func (p *publication) clusterNow(at *layout.SortKey) (s layout.Cluster, found bool, err error) {
	if s, found = p.a.clusters.holding(at); found {
		return s, true, nil
	}
	return layout.ClusterAt(p.it, p.State.Gen, p.a.Number, at, layout.MaxRelease)
}
