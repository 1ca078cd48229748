package store

import (
	"context"
	"errors"

	"svc/edge/store/layout"
	"svc/edge/store/snapshot"
	"svc/shared/content"
	"svc/shared/fault"
	"svc/shared/read"
)

// Open returns a view of the project with this id or slug. It implements read.Store.
func (s *Store) Open(ctx context.Context, project string) (read.View, error) {
	if err := s.enter(); err != nil {
		return nil, err
	}
	b, err := s.resolve(project)
	if err == nil && b == nil {
		err = fault.New(fault.NotFound, "there is no project %q", project)
	}
	if err != nil {
		s.exit()
		return nil, fault.Wrap(err, "open project")
	}
	return &view{s: s, b: b, meta: b.meta, r: snapshot.New(b.snap, b.meta.gen)}, nil
}

// Resolve returns the project with this id or slug, and nil where the store holds none.
func (s *Store) Resolve(project string) *read.Project {
	if s.enter() != nil {
		return nil
	}
	defer s.exit()
	b, err := s.resolve(project)
	if err != nil || b == nil {
		return nil
	}
	found := b.meta.project
	if err := b.Close(); err != nil {
		s.cfg.Logger.Error("cannot close a view", "project", found.ID, "error", err)
	}
	return found
}

// resolve returns the bundle of a live project, and nil where there is none of this id or slug.
func (s *Store) resolve(project string) (*projectState, error) {
	if content.IsID[content.ProjectID](project) {
		l, err := s.known(project)
		if err != nil || l == nil {
			return nil, err
		}
		return s.live(l, "")
	}
	namings := s.namings.Load() // before the row is read
	if known, ok := s.slugs.Load(project); ok && known.(slugHint).namings == namings {
		return s.live(known.(slugHint).log, project)
	}
	owners, err := layout.OwnersOf(s.db, project)
	if err != nil || len(owners) == 0 {
		s.slugs.Delete(project)
		return nil, err
	}
	l := s.log(owners.Last())
	b, err := s.live(l, project)
	if b != nil {
		s.slugs.Store(b.meta.project.Slug, slugHint{l, namings})
	}
	return b, err
}

// slugHint is where a slug leads, until the next commit that may have passed a slug on.
type slugHint struct {
	log     *log
	namings uint64
}

// lockSlugs lets no other log name its project until unlock is called, after the commit.
func (s *Store) lockSlugs() (unlock func()) {
	s.slugging.Lock()
	return func() {
		s.namings.Add(1)
		s.slugging.Unlock()
	}
}

// live returns the bundle of a log if it serves a project, and under this slug where one is given.
func (s *Store) live(l *log, slug string) (*projectState, error) {
	b, err := s.stateOf(l)
	if err != nil || b == nil {
		return nil, err
	}
	if b.meta.project == nil || slug != "" && b.meta.project.Slug != slug {
		return nil, b.Close()
	}
	return b, nil
}

// view implements read.View.
type view struct {
	s      *Store
	b      *projectState
	meta   *meta
	r      *snapshot.Reader
	refers referring
	closed bool
}

// Close ends the view; a second call does nothing.
func (v *view) Close() {
	if v.closed {
		return
	}
	v.closed = true
	if err := errors.Join(v.r.Close(), v.b.Close()); err != nil {
		v.s.cfg.Logger.Error("cannot close a view", "log", v.meta.log.id, "error", err)
	}
	v.s.exit()
}
