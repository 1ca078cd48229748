package local

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// Filler puts content into a fresh stack through core's API and returns the project it made. It is called again when it
// did not come to its end, so it must cope with what it made before.
type Filler func(ctx context.Context, apiURL, organization, token string) (project string, err error)

// Run is `make run`: it starts the stack, fills it when it is fresh and has a seed, says where everything is, and keeps
// it running until the context ends. When the stack runs already it says so and returns nil.
func Run(ctx context.Context, cfg Config, fill Filler, out io.Writer) error {
	cfg.Report = out
	stack, err := New(cfg)
	if err != nil {
		return err
	}
	if err := stack.Start(ctx); err != nil {
		if running := new(RunningError); errors.As(err, &running) {
			return stack.describeRunning(out, running)
		}
		if ctx.Err() != nil {
			stack.say("stopped before everything was up; the next start goes on from here")
		}
		return unlessAsked(ctx, err)
	}
	closeControl, err := stack.serveControl()
	if err != nil {
		return errors.Join(err, stack.Stop(context.WithoutCancel(ctx)))
	}
	err = unlessAsked(ctx, stack.serve(ctx, fill, out))
	stack.say("stopping")
	if err := errors.Join(err, closeControl(), stack.removeEnvFile(), stack.Stop(context.WithoutCancel(ctx))); err != nil {
		return err
	}
	stack.say("stopped; the data stays in %s", shortPath(stack.cfg.Dir))
	return nil
}

// unlessAsked drops the error of something that was interrupted because the end was asked for.
func unlessAsked(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// serve makes a started stack usable and waits for the end.
func (s *Stack) serve(ctx context.Context, fill Filler, out io.Writer) error {
	account, err := s.Account(ctx)
	if err != nil {
		return err
	}
	if account.Seed == SeedDemo && account.Project == "" {
		s.say("filling the fresh stack with the demo project")
		if account.Project, err = fill(ctx, s.URL("core"), account.Organization, account.Token); err != nil {
			return fmt.Errorf("fill the fresh stack: %w", err)
		}
		if err := writePrivate(s.accountFile(), account); err != nil {
			return err
		}
	}
	if err := s.writeEnvFile(account); err != nil {
		return err
	}
	if err := s.summarise(out, account); err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}
