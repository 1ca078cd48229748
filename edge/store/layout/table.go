package layout

import (
	"encoding/binary"

	"svc/shared/content"
)

// Version names the directory that holds the database. It changes with the table below, and an edge then
// fills a new directory from replication.
const Version = "v10"

// Table is a table of the database. Every key is a generation (8 bytes), a table (1 byte) and the columns below. Integers are big endian, "~" is the
// bitwise complement (so greater comes first), ids are their 16 bytes, c is a collection's number (4 bytes), d a
// document number and n an entry's number in its collection (4 bytes), rank is escaped and terminated (appendRank), text
// stands alone or ends with a zero byte.
// Generation 0 belongs to the store; each load of a log has a generation of its own.
//
//	table                key after the table byte     value
//	TableLog             log id                       generation, epoch, seq, chain, state sum
//	TableProjectSlug     project slug                 ids of the projects that have it, see SlugOwners
//	TablePublicKey       public id of a key           organization id, recordpb.Key
//
//	TableSettings        from release                 recordpb.Project
//	TableCollection      c                            live version (0: removed), name, label, schema hash
//	TableSchema          c, version                   canonical JSON
//	TableVersion         c, from release              version (0: removed)
//	TableRelease         number                       milliseconds
//	TableTime            milliseconds                 number
//	TableFirst           c, ~entry                    the first release that published it, n
//	TableEntry           c, ~entry, ~release          d, revision, slug; empty: gone from this release on
//	TableDocument        c, ~entry, ~release          revision, milliseconds, schema version, slug, fields; or empty
//	TableDocumentNumber  c, d                         entry, release
//	TableEntrySlug       c, slug 0, ~release          entry that took the slug at this release
//	TableLiveDelta       c, release                   counters, documents removed (roaring)
//	TableLiveSet         c, release                   documents live after it (roaring)
//	TableRank            c, ~entry                    rank
//	TableRanked          c, rank, entry               –
//	TableGzip            c, ~entry, ~release          revision, and the fields of a document as gzip packs them: see read.Coding
//	TableZstd            the same for zstd
//	TableHead            c, 0, rank, entry            –  what is live now, in the default order
//	                     c, 1, ~entry                 –
//
//	Indexes; f is a definition's number, locale ends with a zero byte, value tells where it ends:
//	TableDefinition      c, f                         class, field, how far it is built
//	TablePosting         c, f, locale, value, chunk   the numbers n of what is live now and has the value
//	TablePresence        c, f, locale, fit, chunk     n of what is live now and has a value that fits, or one that does not
//	TablePastPosting     c, f, locale, value, chunk   the documents d that have the value, whenever they were live
//	TablePastPresence    c, f, locale, fit, chunk     the documents d that have a value
//	TableWords           c, ~entry, ~release, f, locale   the words of a document's texts in their order, see AppendTextWord
//	TableTexts           c                            how far words are indexed, see TextsIndexed
//
//	TableOrganization    –                            recordpb.Organization
//	TableKey             public id                    recordpb.Key
//
// A slug that is given up needs no row: the entry that took it last at or before a release answers to it there if
// its document of that release still says so, and otherwise none does.
type Table byte

const (
	TableLog         Table = 0x01
	TableProjectSlug Table = 0x03
	TablePublicKey   Table = 0x04

	TableSettings   Table = 0x10
	TableCollection Table = 0x11
	TableSchema     Table = 0x12
	TableVersion    Table = 0x13
	TableRelease    Table = 0x14
	TableTime       Table = 0x15

	TableEntry          Table = 0x20
	TableDocument       Table = 0x21
	TableDocumentNumber Table = 0x22
	TableEntrySlug      Table = 0x23
	TableLiveDelta      Table = 0x24
	TableLiveSet        Table = 0x25
	TableRank           Table = 0x26
	TableRanked         Table = 0x27
	TableHead           Table = 0x28
	TableFirst          Table = 0x29
	TableGzip           Table = 0x2b
	TableZstd           Table = 0x2c

	TablePosting      Table = 0x30
	TablePresence     Table = 0x31
	TablePastPosting  Table = 0x33
	TablePastPresence Table = 0x34
	TableDefinition   Table = 0x36
	TableWords        Table = 0x37
	TableTexts        Table = 0x38

	TableOrganization Table = 0x40
	TableKey          Table = 0x41

	tableEnd Table = 0xff // behind all tables
)

// Generation is a key space of its own.
type Generation uint64

// Global is the generation of the store itself.
const Global Generation = 0

// EntryID is an entry's id as keys hold it.
type EntryID [16]byte

// Text is the id as it is spoken of outside.
func (e EntryID) Text() content.EntryID { return content.FromBytes[content.EntryID](e) }

// Lengths of keys, up to a column.
const (
	PrefixLen      = 8 + 1              // generation and table
	CollectionLen  = PrefixLen + 4      // and c
	EntryPrefixLen = CollectionLen + 16 // and entry
	EntryRowLen    = EntryPrefixLen + 8 // and release: a key of TableEntry or TableDocument
)

const (
	headRanked   = byte(0)
	headUnranked = byte(1)

	// MaxRelease stands for the newest release there is.
	MaxRelease = ^uint64(0)
	// MaxDocument is the greatest number that a document can have.
	MaxDocument = ^uint32(0) - 1
)

// Start begins the keys of a table in dst, which it overwrites; it is also the table's lower bound.
func (g Generation) Start(dst []byte, t Table) []byte {
	dst = binary.BigEndian.AppendUint64(dst[:0], uint64(g))
	return append(dst, byte(t))
}

// End is the upper bound of a table.
func (g Generation) End(dst []byte, t Table) []byte { return g.Start(dst, t+1) }

// Span returns the bounds of the whole generation.
func (g Generation) Span() (lower, upper []byte) {
	return binary.BigEndian.AppendUint64(nil, uint64(g)), binary.BigEndian.AppendUint64(nil, uint64(g)+1)
}

// Collection begins the keys of one collection.
func (g Generation) Collection(dst []byte, t Table, c uint32) []byte {
	return binary.BigEndian.AppendUint32(g.Start(dst, t), c)
}

// CollectionEnd is the upper bound of Collection.
func (g Generation) CollectionEnd(dst []byte, t Table, c uint32) []byte {
	return binary.BigEndian.AppendUint32(g.Start(dst, t), c+1)
}

// Entry begins the rows of one entry in TableEntry and TableDocument; in TableFirst and TableRank it is the whole key.
func (g Generation) Entry(dst []byte, t Table, c uint32, e EntryID) []byte {
	return appendInverted(g.Collection(dst, t, c), e)
}

// EntryAt is an entry's row of a release, or where to look for its newest row at or before it.
func (g Generation) EntryAt(dst []byte, t Table, c uint32, e EntryID, release uint64) []byte {
	return appendInvertedNumber(g.Entry(dst, t, c, e), release)
}

// CollectionRelease is a key of TableLiveDelta, TableLiveSet or TableVersion.
func (g Generation) CollectionRelease(dst []byte, t Table, c uint32, n uint64) []byte {
	return binary.BigEndian.AppendUint64(g.Collection(dst, t, c), n)
}

// LogNumber is a key of TableRelease, TableTime or TableSettings.
func (g Generation) LogNumber(dst []byte, t Table, n uint64) []byte {
	return binary.BigEndian.AppendUint64(g.Start(dst, t), n)
}

// CollectionNumber is a key of TableDocumentNumber or TableSchema.
func (g Generation) CollectionNumber(dst []byte, t Table, c, n uint32) []byte {
	return binary.BigEndian.AppendUint32(g.Collection(dst, t, c), n)
}

// entrySlug begins the rows of one slug.
func (g Generation) entrySlug(dst []byte, c uint32, slug string) []byte {
	return append(append(g.Collection(dst, TableEntrySlug, c), slug...), 0)
}

// EntrySlugAt is who took a slug at a release, or where to look for who took it last by then.
func (g Generation) EntrySlugAt(dst []byte, c uint32, slug string, release uint64) []byte {
	return appendInvertedNumber(g.entrySlug(dst, c, slug), release)
}

// Ranked is a key of TableRanked.
func (g Generation) Ranked(dst []byte, c uint32, rank string, e EntryID) []byte {
	return append(appendRank(g.Collection(dst, TableRanked, c), rank), e[:]...)
}

// Head is the key of a live entry in the default order; rank is empty where it has none.
func (g Generation) Head(dst []byte, c uint32, rank string, e EntryID) []byte {
	dst = g.Collection(dst, TableHead, c)
	if rank == "" {
		return appendInverted(append(dst, headUnranked), e)
	}
	return append(appendRank(append(dst, headRanked), rank), e[:]...)
}

// Text is a key that ends with text.
func (g Generation) Text(dst []byte, t Table, s string) []byte { return append(g.Start(dst, t), s...) }

func appendInverted(dst []byte, e EntryID) []byte {
	for _, b := range e {
		dst = append(dst, ^b)
	}
	return dst
}

// EntryIn reads an inverted entry id.
func EntryIn(b []byte) (e EntryID) {
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

// Successor turns a key into the least key after it and everything that begins with it, for keys of fixed length.
func Successor(key []byte) []byte { return append(key, 0) }

func appendInvertedNumber(dst []byte, n uint64) []byte {
	return binary.BigEndian.AppendUint64(dst, ^n)
}
