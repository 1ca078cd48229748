// Package replication holds the packages that bring published content from core to edges. This page states what they
// guarantee together.
//
//	   core                                     NATS JetStream                       edge
//	┌──────────────────────┐
//	│ transaction          │
//	│  … the change itself │
//	│  log_head: seq+1,    │
//	│    chain' = H(chain, │                  ┌────────────────┐
//	│    seq, kind, digest)│  publish.Relay   │ stream SVC_LOG │  follow   ┌─────────────────────┐
//	│  change: the row     ├─────────────────►│ svc.log.<log>  ├──────────►│ chains onto (epoch, │
//	└─────────┬────────────┘  append only if  └────────────────┘           │ seq, chain)? apply, │
//	          │               the last message                             │ in one batch with   │
//	          │               is the expected                              │ the new position    │
//	          │  publish.Heart   time, heads    svc.heartbeat              │                     │
//	          ├───────────────────────────────────────────────────────────►│ lag, settled times  │
//	          │                                                            │                     │
//	          │  GET /internal/v1/logs/<log>/changes?after=<position>      │ a gap? ask core     │
//	          │◄───────────────────────────────────────────────────────────┤                     │
//	          │  object storage: bodies over 512 KiB, snapshots            │ too far? snapshot   │
//	          └───────────────────────────────────────────────────────────►└─────────────────────┘
//
// There is a log for each project (settings, schemas, releases, editorial order) and for each organization (its name,
// its keys). A log is a sequence of changes numbered 1, 2, 3 …; a position in it is (epoch, seq, chain).
//
//   - record: what a change is, its digest and chain, its bytes, and the state hash that proves two stores equal.
//   - stream: the transport. It may lose anything at any time; nothing relies on it.
//   - publish: from the database to the stream.
//   - follow: from the stream to an edge's store.
//   - snapshot: a whole log in object storage, for edges that are too far behind.
//
// # Guarantees
//
// Truth. The database decides. The stream, object storage and every edge are disposable and can be rebuilt from it.
//
// Order. Within a log, changes take effect on an edge in the order of their numbers, which is the order of their
// commits: the number is taken from a row that stays locked until the commit. Between logs there is no order, but an
// edge applies changes of organizations before changes of projects where both wait.
//
// Gaps. An edge never skips a change. Every change carries the chain before it and the chain after it; what does not
// chain onto the edge's position is not applied, whatever delivered it. The edge asks core for the changes between, and
// takes a snapshot only if core no longer has them.
//
// Duplicates. A change can be delivered any number of times, by overlapping relays, a rebuilt stream or an answer to a
// gap. It takes effect once, since position and effect are written together.
//
// Whole changes. Readers see all of a change or nothing of it.
//
// Loss in transit. A committed change reaches every edge even if the relay that should have sent it died, its message was
// acknowledged and then lost, the stream was purged or replaced by an older copy, or the project has been quiet since:
// relays compare the head of every log with its last message after each connect and every thirty seconds, and edges
// compare their positions with the heads in heartbeats. Messages have no id, so that no server can mistake a message that
// is sent again for a duplicate of one it has dropped.
//
// Overlapping relays. The core that committed a change sends it; one that is two seconds old and not recorded as sent, every
// core sends. A message is stored only directly after the message that its sender saw last. A relay that was refused, or does
// not know how its request ended, reads the last message and continues from that. What it remembers never decides.
//
// Epochs. A database restored from a backup can assign the same numbers a second time. One who sees a position that the
// log never had, a relay on the stream or core in an edge's request, raises the log's epoch above it; the position can be
// in the same epoch with another chain, beyond the head, or in an epoch that the log does not know. Everything sent from
// then on carries the log's new epoch, old changes included. If the last message on the stream is not part of the log, the
// newest change is sent again after it, so that the stream leads to the log's head even while a project is quiet. Equal
// chains are equal histories in any epoch: an edge whose position is part of the log adopts the new epoch, gets the changes
// it lacks and loads no snapshot. An edge that applied changes which are now lost is made to load a snapshot, even one with
// a smaller sequence than its own. A node that has seen an epoch applies nothing of an older one. Raising an epoch
// needlessly costs only a comparison.
//
// Release numbers and times. Every message states, beside its position, the newest release number and time that its project
// had by then. A restored database is compared with these before anything is published, and continues after them: also if
// the last message does not contain the lost releases themselves, because it was sent again after an earlier loss, or was
// sent before they were.
//
// Snapshots. An edge starts over from one in four cases: it holds nothing of the log; it is some thousand changes behind;
// core no longer has the changes after its position; or its position is not part of the log. It builds the new state beside
// the one it serves and switches in one step. It does not load the same snapshot twice for the same purpose. If a snapshot
// is damaged, the edge asks for changes instead; if core no longer has them, core writes the snapshot again, from nothing.
//
// Object storage. It may be unavailable, slow, or return other bytes than were stored. An edge asks core for a large change
// that does not arrive from it within seconds. While it accepts no writes, large changes wait; small ones of other logs do
// not.
//
// Staleness. An edge serves what it has, however old, and knows how old that is: every second a heartbeat brings the heads
// and the database's time. A head above the edge's position is lag; no heartbeat is silence. Both are reported, and private
// content is refused once permissions are older than a bound.
//
// Settled times. A time is settled once no release with an earlier time can appear: the heartbeat's time is read while
// no transaction holds a release time that it has not committed, and the heads are those of that moment. For an edge that
// has reached these heads it is final which release an earlier time means. While releases are being committed a heartbeat
// may carry no such time; then the last one remains valid.
//
// Proof. Every log has a state hash, a sum of hashes of the rows in force, which an edge updates with each change and core
// computes from its own rows. It is compared after each load of a snapshot, and by core for every log that changed and every
// edge at the same position as core. Equal chains prove that two nodes received the same changes; equal state hashes prove
// that they hold the same state.
//
// Unknown records. A record that a newer build wrote stops its log on the older edge, with an alarm, and no other log.
// So does one that is damaged, or that the store fails to apply; core itself refuses to send what edges would refuse. A
// stopped log is retried at growing intervals. A large or slow log delays no other: what does not fit into its queue, the edge
// asks core for.
//
// # Recovery
//
// What is repaired automatically, and how:
//
//	lost                                    found by                              repaired by
//	a message, many, the whole stream       the relay's comparison of heads;      the relay sends from the database;
//	                                        heartbeats, at the edge               core answers the edge's request
//	changes in the database (a restore)     another incarnation, or less written  a new epoch; numbers and times continue
//	                                        than before; then the stream, edges   after those assigned; edges that hold
//	                                        and snapshots are compared            lost changes load a snapshot
//	objects of a snapshot                   the next write or read of it          a snapshot from nothing
//	the body of a large change              the edge that fetches it              core answers the edge's request
//	an edge's directory                     the edge, at its start                snapshots, and the changes since
//	rows in an edge's store                 state hashes                          an operator: edge rebuild
//	rows of the database                    digests, when they are sent           an operator: restore those rows
//
// Nothing is published between the start of a database and the end of the comparison that shows whether it went back: a
// release number that was assigned twice could not be withdrawn. That comparison needs the stream; if the stream is lost as
// well, an operator decides (core recover). It covers what the stream, edges and snapshots saw, and each core remembers
// what it committed itself, which needs no stream: a core that kept running never assigns a number or a time again. The
// remaining risk is a release that none of them knows: the core that committed it has ended, or another core compares and
// publishes before it. The comparison raises
// counters and epochs and never lowers them, so it can be interrupted, repeated and done by several cores at once.
//
// Whatever needs an operator is an alarm (shared/telemetry), which clears itself when its cause is gone.
// deploy/OPERATIONS.md says what to do about each.
package replication
