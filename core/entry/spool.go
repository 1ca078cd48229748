package entry

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"

	"svc/shared/content"
	"svc/shared/fault"
)

// spool keeps the rows of an import in a file without a name, so that they can be read again at the speed of the disk.
type spool struct {
	file *os.File
	rows int
	bad  map[int][]fault.Item // what is wrong with rows by themselves
}

func newSpool() (*spool, error) {
	file, err := os.CreateTemp("", "svc-import-*")
	if err != nil {
		return nil, fmt.Errorf("making room for an import: %w", err)
	}
	if err := os.Remove(file.Name()); err != nil {
		return nil, errors.Join(fmt.Errorf("making room for an import: %w", err), file.Close())
	}
	return &spool{file: file, bad: map[int][]fault.Item{}}, nil
}

// Close gives the room back.
func (s *spool) Close() error { return s.file.Close() }

// fill takes every row, with its data in compact form. A row whose data cannot be read is kept without it.
func (s *spool) fill(rows iter.Seq2[ImportRow, error]) error {
	w := bufio.NewWriterSize(s.file, 1<<16)
	for row, err := range rows {
		if err != nil {
			return err
		}
		if s.rows++; s.rows > MaxImportRows {
			return fault.New(fault.PayloadTooLarge, "an import has at most %d rows", MaxImportRows)
		}
		if row.Data, err = (Write{Data: row.Data, ChangeSummary: row.ChangeSummary}).check(); err != nil {
			var f *fault.Error
			if !errors.As(err, &f) {
				return err
			}
			s.bad[s.rows-1] = f.Items
		}
		slug, hasSlug := "", "0"
		if row.Slug != nil {
			slug, hasSlug = *row.Slug, "1"
		}
		for _, part := range []string{string(row.ID), hasSlug, slug, row.ChangeSummary, string(row.Data)} {
			if err := writePart(w, part); err != nil {
				return fmt.Errorf("keeping the rows of an import: %w", err)
			}
		}
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("keeping the rows of an import: %w", err)
	}
	return nil
}

func writePart(w *bufio.Writer, part string) error {
	if _, err := w.Write(binary.AppendUvarint(nil, uint64(len(part)))); err != nil {
		return err
	}
	_, err := w.WriteString(part)
	return err
}

// chunks hands out the rows from the first on, some at a time, with the number of the first of them.
func (s *spool) chunks(size int, take func(first int, rows []ImportRow) error) error {
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("reading the rows of an import: %w", err)
	}
	r := bufio.NewReaderSize(s.file, 1<<16)
	for first := 0; first < s.rows; first += size {
		rows := make([]ImportRow, min(size, s.rows-first))
		for i := range rows {
			var err error
			if rows[i], err = readRow(r); err != nil {
				return fmt.Errorf("reading the rows of an import: %w", err)
			}
		}
		if err := take(first, rows); err != nil {
			return err
		}
	}
	return nil
}

func readRow(r *bufio.Reader) (ImportRow, error) {
	var parts [5][]byte
	for i := range parts {
		n, err := binary.ReadUvarint(r)
		if err != nil {
			return ImportRow{}, err
		}
		parts[i] = make([]byte, n)
		if _, err := io.ReadFull(r, parts[i]); err != nil {
			return ImportRow{}, err
		}
	}
	row := ImportRow{ID: content.EntryID(parts[0]), ChangeSummary: string(parts[3]), Data: parts[4]}
	if string(parts[1]) == "1" {
		slug := string(parts[2])
		row.Slug = &slug
	}
	return row, nil
}
