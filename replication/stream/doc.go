// Package stream carries records from core to edges over NATS JetStream, and is the only one that knows of NATS.
//
// The stream is transport, never truth: it may lose its tail, its head or everything, and whoever reads it proves what
// it got by the chains inside the records. One stream holds all logs, on one subject each. Beside it there are
// heartbeats, which nothing keeps, and the reports of edges, which expire.
package stream
