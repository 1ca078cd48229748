package inprocess

// crash loses an edge.
func (p *play) crash() error {
	e := pick(p, p.edges)
	p.note("  %s", e.name)
	return e.crash(p.random)
}

// restart has a core stop and come back, one time out of five: the other players wait meanwhile.
func (p *play) restart() error {
	if p.random.IntN(5) > 0 {
		return nil
	}
	return pick(p, p.cores).restart()
}

// rebuild has an edge load the project, or all it holds, again.
func (p *play) rebuild() error {
	e := pick(p, p.edges)
	if err := e.back(); err != nil {
		return err
	}
	p.note("  %s", e.name)
	if err := e.level(p.ctx); err != nil { // or there may be nothing to rebuild
		return err
	}
	e.follower.Load().Rebuild(e.logs[:p.random.IntN(2)]...)
	return nil
}

func (p *play) leave() error { return pick(p, p.edges).leave() }

func (p *play) back() error { return pick(p, p.edges).back() }
