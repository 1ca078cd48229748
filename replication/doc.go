// Package replication holds the packages that bring published content from core to edges. This page says what
// they promise together.
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
//   - stream: the transport. It may lose anything at any time; nobody trusts it.
//   - publish: from the database to the stream.
//   - follow: from the stream to an edge's store.
//   - snapshot: a whole log in object storage, for whoever is too far behind.
//
// # Guarantees
//
// Truth. The database decides. The stream, object storage and every edge can be thrown away and come back from it.
//
// Order. Within a log, changes take effect on an edge in the order of their numbers, which is the order of their
// commits: the number is taken from a row that stays locked until the commit. Between logs there is no order, but an
// edge applies what organizations say before what projects say, where both wait.
//
// Gaps. An edge never steps over a change. Every change carries the chain before it and the chain after it; what does
// not chain onto the edge's position is not applied, whatever delivered it. The edge asks core for what lies between,
// and takes a snapshot only where core no longer has it.
//
// Duplicates. A change can be delivered any number of times, by overlapping relays, a rebuilt stream or an answer to a
// gap. It has an effect once, since position and effect are written together.
//
// Whole changes. Readers see all of a change or nothing of it.
//
// Loss on the way. A change that was committed reaches every edge even where the relay that should have sent it died,
// its message was acknowledged and then lost, the stream was purged or replaced by an older copy, or the project has
// been quiet since: relays compare the head of every log with its last message after each connecting and every thirty
// seconds, and edges compare their positions with the heads in heartbeats. Messages have no id, so no server can take a
// message that is sent again for one it already dropped.
//
// Overlapping relays. A message is stored only behind the message that its sender saw last. A relay that was refused,
// or does not know how its request ended, reads the last message and goes on from that. What it remembers never decides.
//
// Epochs. A database restored from a backup can give numbers a second time. Whoever sees a position that the log never
// had, a relay on the stream or core in an edge's question, raises the log's epoch above it; the position can be in the
// same epoch with another chain, beyond the head, or in an epoch that the log does not know. The epoch of a log is put on
// everything sent from then on, old changes included. Where the last message on the stream is not part of the log, the
// newest change is sent again behind it, so the stream leads to the log's head even while a project is quiet. Equal chains are equal histories in any epoch: an edge whose
// position is part of the log takes the new epoch over, gets what it misses and loads nothing. An edge that applied
// changes which are now lost is told to load a snapshot, even one with a smaller sequence than its own. Nothing of an
// older epoch is applied by who has seen a newer one. Raising an epoch without need costs nothing but a comparison.
//
// Release numbers and times. Every message tells, beside its position, the newest number and time that a release of its
// project had been given by then. A restored database is compared with that before anything is published, and goes on
// behind it: also where the last message says nothing of the lost releases themselves, since it was sent again after an
// earlier loss, or was sent before they were.
//
// Snapshots. A node starts over from one in four cases: it holds nothing of the log; it is some thousand changes behind;
// core no longer has the changes after its position; or its position is not part of the log. It builds the snapshot beside what it serves and switches
// in one step. It does not load the same snapshot twice for the same purpose.
// One that turns out to be damaged it leaves for changes, and where core has no changes any more, core writes it anew.
//
// Object storage. It may be away, slow, or hold other bytes than it was given. A large change that it does not bring in
// seconds is asked of core; while it takes none, large changes wait, small ones of other logs do not.
//
// Staleness. An edge serves what it has, however old, and knows how old that is: a heartbeat tells the heads and the
// database's time each second. A head above the edge's position is lag; no heartbeat is silence. Both are reported, and
// private content is refused once permissions are older than a bound.
//
// Settled times. A time is settled once no release with an earlier time can appear: the heartbeat's time is read while
// no transaction holds a release time that it has not committed, and the heads are those of that moment. An edge that is
// level with these heads can say for good which release a time before it means. While releases are being committed a
// heartbeat may come without such a time; then the last one stands.
//
// Proof. Every log has a state hash, a sum of hashes of the rows in force, which an edge keeps with each change and core adds
// up from its own rows. It is compared after each load of a snapshot, and by core for every log that moved and every edge
// that is where core is. Equal chains say that two nodes were told the same; equal sums say that they made the same of it.
//
// Unknown records. A record that a newer build wrote stops its log on the older edge, with an alarm, and no other log.
// So does one that is damaged, or that the store fails to apply; core itself refuses to send what edges would refuse. A
// stopped log is tried again at growing intervals. One that is large or slow reads for itself and delays no other.
//
// # Recovery
//
// What heals by itself, and by which way, is the same table read from the other side:
//
//	lost                                    found by                              made good by
//	a message, a stretch, the stream        the relay's comparison of heads;      the relay sends from the database;
//	                                        heartbeats, at the edge               core answers the edge's question
//	changes in the database (a backup)      another incarnation, or less written  a new epoch; numbers and times go on
//	                                        than before; then the stream, edges   behind what was given; edges that hold
//	                                        and snapshots are compared            lost changes load a snapshot
//	objects of a snapshot                   whoever writes the next or asks       a snapshot from nothing
//	the body of a large change              the edge that fetches it              core answers the edge's question
//	an edge's directory                     the edge, at its start                snapshots, and the changes since
//	something an edge made of a change      state hashes                          an operator: edge rebuild
//	rows of the database                    digests, when they are sent           an operator: a backup of the rows
//
// Nothing is published between the start of a database and the end of the comparison that tells whether it went back: a
// release number that was given twice could not be taken back. That comparison needs the stream; where it is lost as well,
// an operator decides (core recover). It knows what the stream, edges and snapshots saw, and each core remembers what it saw
// committed itself, which needs no stream: a core that did not end meanwhile never gives a number or a time again. What
// stays is a release that none of them knows: every core that saw its commit has ended, or another core, which had not
// noticed it within half a second, compares and publishes before the one that committed it. The comparison raises counters
// and epochs and never lowers them, so it can be interrupted, repeated and done by several cores at once.
//
// Whatever needs an operator is an alarm (shared/telemetry), which ends by itself with its cause. deploy/OPERATIONS.md says
// of each what to do.
package replication
