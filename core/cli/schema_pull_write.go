package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// pullWriting is a pull that changes a folder.
type pullWriting struct {
	changes []*change
	made    []string // folders
}

// change is a file of the folder that a pull writes or removes.
type change struct {
	pulledFile
	at     string
	staged string // what is to become the file, as long as it has not
	done   bool
}

// writePulled changes the folder, all of it or nothing, and only where it still is as it was planned for.
func (a *app) writePulled(l *folderLock, dir string, files []pulledFile) error {
	w := &pullWriting{}
	for _, f := range files {
		if f.changes() {
			w.changes = append(w.changes, &change{pulledFile: f, at: filepath.Join(dir, filepath.FromSlash(f.File))})
		}
	}
	made, err := makeFolders(dir)
	w.made = made
	if err != nil {
		return a.unwritten(w, dir, err)
	}
	if err := a.lockMade(l, dir); err != nil {
		return err
	}
	for _, c := range w.changes {
		if err := w.stage(c); err != nil {
			return a.unwritten(w, filepath.Dir(c.at), err)
		}
	}
	for _, c := range w.changes {
		if err := c.carryOut(); err != nil {
			return a.unwritten(w, c.at, err)
		}
	}
	return nil
}

// unwritten takes back what was done before something failed at a place, and says so.
func (a *app) unwritten(w *pullWriting, place string, err error) error {
	var lost []string
	for _, c := range w.changes {
		switch undone := c.undo(); {
		case errors.Is(undone, errMeanwhile): // it is somebody else's
		case undone != nil:
			lost = append(lost, fileError(a.shown(c.at), undone).detail)
		}
		if c.staged != "" {
			os.Remove(c.staged) //nolint:errcheck // the failure is told already
		}
	}
	unmake(w.made)
	f := fileError(a.shown(place), err)
	if len(lost) > 0 {
		f.detail += "; and what was changed before could not be undone: " + strings.Join(lost, "; ")
		return f
	}
	f.detail += "; nothing was changed"
	if errors.Is(err, errMeanwhile) {
		f.hint = a.typed("schema", "pull") + " looks at it anew"
	}
	return f
}

// stage puts the text of a file beside it, with the mode that the file has.
func (w *pullWriting) stage(c *change) error {
	if c.Outcome == fileRemoved {
		return nil
	}
	mode := fs.FileMode(0o644)
	if c.before.there {
		mode = c.before.mode
	}
	staged, made, err := stageFile(c.at, c.text, mode)
	c.staged, w.made = staged, append(w.made, made...)
	return err
}

var errMeanwhile = errors.New("it was changed meanwhile")

// carryOut changes the file, where it still is what it was planned for.
func (c *change) carryOut() error {
	switch now, err := readDisk(c.at); {
	case err != nil:
		return err
	case !now.is(c.before):
		return errMeanwhile
	}
	var err error
	if c.Outcome == fileRemoved {
		err = os.Remove(c.at)
	} else if err = os.Rename(c.staged, c.at); err == nil {
		c.staged = ""
	}
	c.done = err == nil
	return err
}

// undo puts back what was there, where this is what changed it and nobody else did since.
func (c *change) undo() error {
	if !c.done {
		return nil
	}
	after := onDisk{there: c.Outcome != fileRemoved, data: c.text}
	now, err := readDisk(c.at)
	switch {
	case err != nil:
		return err
	case !now.is(after):
		return errMeanwhile
	}
	return c.before.putBack(c.at)
}
