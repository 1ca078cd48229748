// Package stream carries records from core to edges over NATS JetStream, and is the only package that uses NATS.
//
// The stream is transport, never truth: it may lose its tail, its head or everything, and readers verify what they get by the
// chains inside the records. One stream holds all logs, on one subject each. Beside it there are heartbeats, which are not
// stored, and the reports of edges, which expire.
package stream
