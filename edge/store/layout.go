package store

import (
	"encoding/binary"

	"svc/shared/content"
)

// layoutVersion names the directory that holds the database. It changes with the table below, and an edge then
// fills a new directory from replication.
const layoutVersion = "v3"

// Every key is a generation (8 bytes), a table (1 byte) and the columns below. Integers are big endian, "~" is the
// bitwise complement (so greater comes first), ids are their 16 bytes, c is a collection's number (4 bytes), d a
// document number and n an entry's number in its collection (4 bytes), rank is escaped and terminated (appendRank), text
// stands alone or ends with a zero byte.
// Generation 0 belongs to the store; each load of a log has a generation of its own.
//
//	table              key after the table byte       value
//	tableLog           log id                         generation, epoch, seq, chain, state sum
//	tableCursor        –                              sequence, stream
//	tableBuild         log id                         –  it has definitions that are not built
//	tableSlug          project slug                   project id
//	tablePublic        public id of a key             organization id, recordpb.Key
//
//	tableSettings      from release                   recordpb.Project
//	tableCollection    c                              live version (0: removed), name, label, schema hash
//	tableSchema        c, version                     canonical JSON
//	tableVersion       c, from release                version (0: removed)
//	tableRelease       number                         milliseconds
//	tableTime          milliseconds                   number
//	tableEver          c, ~entry                      the first release that published it, n
//	tableEntry         c, ~entry, ~release            d, revision, slug; empty: gone from this release on
//	tableDocument      c, ~entry, ~release            revision, milliseconds, schema version, slug, fields; or empty
//	tableNumber        c, d                           entry, release
//	tableTaker         c, slug 0, ~release            entry that took the slug at this release
//	tableDelta         c, release                     counters, documents removed (roaring)
//	tableFull          c, release                     documents live after it (roaring)
//	tableRank          c, ~entry                      rank
//	tableRanked        c, rank, entry                 –
//	tableSheet         c, ~first, ~release            the last entry: the head of a sheet, see there
//	                   c, ~first, ~release, ~entry, ~release   as in tableDocument
//	tableHead          c, 0, rank, entry              n  what is live now, in the default order
//	                   c, 1, ~entry                   n
//
//	Indexes, see layout_index.go; f is a definition's number, locale ends with a zero byte, value tells where it ends:
//	tableDefinition    c, f                           class, field, how far it is built
//	tableMember        c, n                           entry
//	tablePosting       c, f, locale, value, chunk     the numbers n of what is live now and has the value
//	tablePresence      c, f, locale, fit, chunk       n of what is live now and has a value that fits, or one that does not
//	tableOrdered       c, f, locale, value, entry     n  what is live now
//	tablePastPosting   c, f, locale, value, chunk     the documents d that have the value, whenever they were live
//	tablePastPresence  c, f, locale, fit, chunk       the documents d that have a value
//
//	tableOrganization  –                              recordpb.Organization
//	tableKey           public id                      recordpb.Key
//
// A slug needs no row when it is let go: the entry that took it last at or before a release answers to it there if
// its document of that release still says so, and otherwise none does.
type table byte

const (
	tableLog    table = 0x01
	tableCursor table = 0x02
	tableSlug   table = 0x03
	tablePublic table = 0x04
	tableBuild  table = 0x05

	tableSettings   table = 0x10
	tableCollection table = 0x11
	tableSchema     table = 0x12
	tableVersion    table = 0x13
	tableRelease    table = 0x14
	tableTime       table = 0x15

	tableEntry    table = 0x20
	tableDocument table = 0x21
	tableNumber   table = 0x22
	tableTaker    table = 0x23
	tableDelta    table = 0x24
	tableFull     table = 0x25
	tableRank     table = 0x26
	tableRanked   table = 0x27
	tableHead     table = 0x28
	tableEver     table = 0x29
	tableSheet    table = 0x2a

	tablePosting      table = 0x30
	tablePresence     table = 0x31
	tableOrdered      table = 0x32
	tablePastPosting  table = 0x33
	tablePastPresence table = 0x34
	tableMember       table = 0x35
	tableDefinition   table = 0x36

	// 0x37 to 0x3f are reserved: for terms of search, and for references by (target entry, c, source entry).

	tableOrganization table = 0x40
	tableKey          table = 0x41
)

// generation is a key space of its own; global is that of the store itself.
type generation uint64

const global generation = 0

// entryID is an entry's id as keys hold it.
type entryID [16]byte

func (e entryID) text() content.EntryID { return content.FromBytes[content.EntryID](e) }

const (
	prefixLen      = 8 + 1              // generation and table
	collectionLen  = prefixLen + 4      // and c
	entryPrefixLen = collectionLen + 16 // and entry
	entryRowLen    = entryPrefixLen + 8 // and release: a key of tableEntry or tableDocument
	headRanked     = byte(0)
	headUnranked   = byte(1)
	maxRelease     = ^uint64(0)
	maxDocument    = ^uint32(0) - 1
)

// start begins the keys of a table in dst, which it overwrites; it is also the table's lower bound.
func (g generation) start(dst []byte, t table) []byte {
	dst = binary.BigEndian.AppendUint64(dst[:0], uint64(g))
	return append(dst, byte(t))
}

// end is the upper bound of a table.
func (g generation) end(dst []byte, t table) []byte { return g.start(dst, t+1) }

// span returns the bounds of the whole generation.
func (g generation) span() (lower, upper []byte) {
	return binary.BigEndian.AppendUint64(nil, uint64(g)), binary.BigEndian.AppendUint64(nil, uint64(g)+1)
}

// collection begins the keys of one collection.
func (g generation) collection(dst []byte, t table, c uint32) []byte {
	return binary.BigEndian.AppendUint32(g.start(dst, t), c)
}

// collectionEnd is the upper bound of collection.
func (g generation) collectionEnd(dst []byte, t table, c uint32) []byte {
	return binary.BigEndian.AppendUint32(g.start(dst, t), c+1)
}

// entry begins the rows of one entry in tableEntry and tableDocument; in tableEver and tableRank it is the whole key.
func (g generation) entry(dst []byte, t table, c uint32, e entryID) []byte {
	return appendInverted(g.collection(dst, t, c), e)
}

// place is entry for an id that is inverted already.
func (g generation) place(dst []byte, t table, c uint32, p *sortKey) []byte {
	return append(g.collection(dst, t, c), p[:]...)
}

// entryAt is an entry's row of a release, or where to look for its newest row at or before it.
func (g generation) entryAt(dst []byte, t table, c uint32, e entryID, release uint64) []byte {
	return appendInvertedNumber(g.entry(dst, t, c, e), release)
}

// numbered is a key of a table of a collection that ends with a 64-bit number.
func (g generation) numbered(dst []byte, t table, c uint32, n uint64) []byte {
	return binary.BigEndian.AppendUint64(g.collection(dst, t, c), n)
}

// counted is a key of a table of the log that is one 64-bit number.
func (g generation) counted(dst []byte, t table, n uint64) []byte {
	return binary.BigEndian.AppendUint64(g.start(dst, t), n)
}

// small is a key of tableNumber or tableSchema.
func (g generation) small(dst []byte, t table, c, n uint32) []byte {
	return binary.BigEndian.AppendUint32(g.collection(dst, t, c), n)
}

// taker begins the rows of one slug.
func (g generation) taker(dst []byte, c uint32, slug string) []byte {
	return append(append(g.collection(dst, tableTaker, c), slug...), 0)
}

// ranked is a key of tableRanked.
func (g generation) ranked(dst []byte, c uint32, rank string, e entryID) []byte {
	return append(appendRank(g.collection(dst, tableRanked, c), rank), e[:]...)
}

// head is the key of a live entry in the default order; rank is empty where it has none.
func (g generation) head(dst []byte, c uint32, rank string, e entryID) []byte {
	dst = g.collection(dst, tableHead, c)
	if rank == "" {
		return appendInverted(append(dst, headUnranked), e)
	}
	return append(appendRank(append(dst, headRanked), rank), e[:]...)
}

// text is a key that ends with text.
func (g generation) text(dst []byte, t table, s string) []byte { return append(g.start(dst, t), s...) }

func appendInverted(dst []byte, e entryID) []byte {
	for _, b := range e {
		dst = append(dst, ^b)
	}
	return dst
}

// entryIn reads an inverted entry id.
func entryIn(b []byte) (e entryID) {
	_ = b[15]
	for i := range e {
		e[i] = ^b[i]
	}
	return e
}

// appendRank writes a rank so that ranks of any bytes compare as they are: a zero byte becomes 0 255, the end is 0 1.
func appendRank(dst []byte, rank string) []byte {
	for i := 0; i < len(rank); i++ {
		if dst = append(dst, rank[i]); rank[i] == 0 {
			dst = append(dst, 0xff)
		}
	}
	return append(dst, 0, 1)
}

// cutRank reads what appendRank wrote and returns the rest; the rank is appended to dst.
func cutRank(dst, b []byte) (rank, rest []byte, ok bool) {
	for i := 0; i+1 < len(b); i++ {
		switch {
		case b[i] != 0:
			dst = append(dst, b[i])
		case b[i+1] == 1:
			return dst, b[i+2:], true
		default:
			dst = append(dst, 0)
			i++
		}
	}
	return nil, nil, false
}

// successor turns a key into the least key after it and everything that begins with it, for keys of fixed length.
func successor(key []byte) []byte { return append(key, 0) }

func appendInvertedNumber(dst []byte, n uint64) []byte {
	return binary.BigEndian.AppendUint64(dst, ^n)
}
