package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
)

// someoneToAsk is the failure of what needs to be confirmed without --yes, where there is no terminal to ask on.
func (a *app) someoneToAsk(what, hint string) error {
	if !a.flags.yes && (!a.InTerminal || !a.ErrTerminal) {
		return usage(hint, "%s needs to be confirmed, and there is no terminal to ask at", what)
	}
	return nil
}

// confirm asks a person, and returns nil where the answer is yes, or given by --yes.
func (a *app) confirm(ctx context.Context, question string) error {
	if a.flags.yes {
		return nil
	}
	fmt.Fprintf(a.Err, "%s %s ", clean(question), a.newPage(a.ErrTerminal).paint(dim, "[y/N]"))
	type answer struct {
		text string
		err  error
	}
	answers := make(chan answer, 1)
	go func() { // a read from a terminal cannot be called off
		text, err := bufio.NewReader(a.In).ReadString('\n')
		answers <- answer{text, err}
	}()
	select {
	case <-ctx.Done():
		fmt.Fprintln(a.Err)
		return ctx.Err()
	case got := <-answers:
		if got.err == io.EOF {
			fmt.Fprintln(a.Err)
		} else if got.err != nil {
			return fmt.Errorf("reading the answer: %w", got.err)
		}
		switch strings.ToLower(strings.TrimSpace(got.text)) {
		case "y", "yes":
			return nil
		}
		return &failure{exit: ExitFailed, code: codeDeclined, detail: "not confirmed; nothing was changed"}
	}
}
