package edge

import (
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"

	"svc/edge/store"
	"svc/shared/read"
)

// figures reads the store's figures once for each scrape.
type figures struct {
	store  *store.Store
	logger *slog.Logger
	all    []figure
}

type figure struct {
	desc  *prometheus.Desc
	kind  prometheus.ValueType
	value func(store.Health) (float64, bool)
}

func registerFigures(r prometheus.Registerer, s *store.Store, answers *read.Cache, logger *slog.Logger) {
	f := &figures{store: s, logger: logger}
	add := func(kind prometheus.ValueType, name, help string, value func(store.Health) float64) {
		f.all = append(f.all, figure{prometheus.NewDesc(name, help, nil, nil), kind, func(h store.Health) (float64, bool) { return value(h), true }})
	}
	add(prometheus.GaugeValue, "svc_store_bytes", "Bytes of the store on the disk.", func(h store.Health) float64 { return float64(h.Bytes) })
	add(prometheus.GaugeValue, "svc_store_read_amplification", "Files that a read may have to look at.", func(h store.Health) float64 { return float64(h.ReadAmplification) })
	add(prometheus.GaugeValue, "svc_store_compaction_debt_bytes", "Bytes to be rewritten until the store is in order.", func(h store.Health) float64 { return float64(h.CompactionDebt) })
	add(prometheus.GaugeValue, "svc_store_building_projects", "Projects whose filtered and ordered lists take longer, since indexes of new fields are being built.", func(h store.Health) float64 { return float64(h.Building) })
	add(prometheus.GaugeValue, "svc_store_indexing_projects", "Projects whose searches take longer, since words of what was published wait for being indexed.", func(h store.Health) float64 { return float64(h.Indexing) })
	add(prometheus.GaugeValue, "svc_store_cache_bytes", "Blocks of the store in memory.", func(h store.Health) float64 { return float64(h.CacheBytes) })
	add(prometheus.CounterValue, "svc_store_cache_hits_total", "Blocks that were in memory when they were read.", func(h store.Health) float64 { return float64(h.CacheHits) })
	add(prometheus.CounterValue, "svc_store_cache_misses_total", "Blocks that were read from the disk.", func(h store.Health) float64 { return float64(h.CacheMisses) })
	add(prometheus.GaugeValue, "svc_store_projects_bytes", "Weight of the projects in memory.", func(h store.Health) float64 { return float64(h.Loaded) })
	add(prometheus.GaugeValue, "svc_store_users", "Reads, changes and loads under way.", func(h store.Health) float64 { return float64(h.Users) })
	add(prometheus.GaugeValue, "svc_store_disk_keep_bytes", "Bytes that stay free on the disk: below that no changes are taken.", func(h store.Health) float64 { return float64(h.Keep) })
	if answers != nil {
		add(prometheus.CounterValue, "svc_edge_answers_found_total", "Reads that the cache of answers had.", func(store.Health) float64 { return float64(answers.Hits.Load()) })
		add(prometheus.CounterValue, "svc_edge_answers_made_total", "Reads whose answers had to be made.", func(store.Health) float64 { return float64(answers.Misses.Load()) })
	}
	f.all = append(f.all, figure{
		prometheus.NewDesc("svc_store_disk_free_bytes", "Bytes that are free on the store's disk.", nil, nil), prometheus.GaugeValue,
		func(h store.Health) (float64, bool) { return float64(h.Free), h.FreeKnown },
	})
	r.MustRegister(f)
}

// Describe implements prometheus.Collector.
func (f *figures) Describe(to chan<- *prometheus.Desc) {
	for _, one := range f.all {
		to <- one.desc
	}
}

// Collect implements prometheus.Collector.
func (f *figures) Collect(to chan<- prometheus.Metric) {
	h, err := f.store.Health()
	if err != nil {
		f.logger.Warn("the metrics of the store cannot be read", "error", err)
		return
	}
	for _, one := range f.all {
		if value, known := one.value(h); known {
			to <- prometheus.MustNewConstMetric(one.desc, one.kind, value)
		}
	}
}
