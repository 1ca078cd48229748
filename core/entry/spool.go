package entry

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svc/shared/fault"
)

// spool keeps the rows of an import in a file without a name, so that they can be read again at the speed of the disk.
type spool struct {
	file *os.File
	rows int
}

// spooled is a row, with its data in compact form. A row that cannot be read has no data.
type spooled struct {
	ImportRow
	Bad []fault.Item // what is wrong with the row by itself
}

func newSpool() (*spool, error) {
	file, err := os.CreateTemp("", "svc-import-*")
	if err != nil {
		return nil, fmt.Errorf("making room for an import: %w", err)
	}
	if err := os.Remove(file.Name()); err != nil {
		return nil, errors.Join(fmt.Errorf("making room for an import: %w", err), file.Close())
	}
	return &spool{file: file}, nil
}

// Close gives the room back.
func (s *spool) Close() error { return s.file.Close() }

// fill takes every row.
func (s *spool) fill(rows iter.Seq2[ImportRow, error]) error {
	buffer := bufio.NewWriterSize(s.file, 1<<16)
	w := jsontext.NewEncoder(buffer)
	for row, err := range rows {
		if err != nil {
			return err
		}
		if s.rows++; s.rows > MaxImportRows {
			return fault.New(fault.PayloadTooLarge, "an import has at most %d rows", MaxImportRows)
		}
		kept := spooled{ImportRow: row}
		if kept.Data, err = (Write{Data: row.Data, ChangeSummary: row.ChangeSummary}).check(); err != nil {
			var f *fault.Error
			if !errors.As(err, &f) {
				return err
			}
			kept.Bad = f.Items
		}
		if err := json.MarshalEncode(w, kept); err != nil {
			return fmt.Errorf("keeping the rows of an import: %w", err)
		}
	}
	if err := buffer.Flush(); err != nil {
		return fmt.Errorf("keeping the rows of an import: %w", err)
	}
	return nil
}

// chunks hands out the rows from the first on, some at a time, with the number of the first of them.
func (s *spool) chunks(size int, take func(first int, rows []spooled) error) error {
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("reading the rows of an import: %w", err)
	}
	r := jsontext.NewDecoder(bufio.NewReaderSize(s.file, 1<<16))
	for first := 0; first < s.rows; first += size {
		rows := make([]spooled, min(size, s.rows-first))
		for i := range rows {
			if err := json.UnmarshalDecode(r, &rows[i]); err != nil {
				return fmt.Errorf("reading the rows of an import: %w", err)
			}
		}
		if err := take(first, rows); err != nil {
			return err
		}
	}
	return nil
}
