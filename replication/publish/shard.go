package publish

import "hash/fnv"

// ShardCount is how many parts the logs are spread over.
const ShardCount = 64

// Shards is a set of shards, one bit each.
type Shards uint64

// ShardOf returns the shard of a log.
func ShardOf(log string) int {
	h := fnv.New32a()
	h.Write([]byte(log))
	return int(h.Sum32() % ShardCount)
}

// Has reports whether the set has a shard.
func (s Shards) Has(shard int) bool { return s&(1<<shard) != 0 }

// With returns the set with a shard more.
func (s Shards) With(shard int) Shards { return s | 1<<shard }

// Without returns the set with a shard less.
func (s Shards) Without(shard int) Shards { return s &^ (1 << shard) }
