package cli

import (
	"bufio"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// ask asks the service. Where that takes longer than a moment, it says on standard error what is going on.
func ask[T any](a *app, what string, question func() (T, error)) (T, error) {
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		a.showProgress(what, stop)
	}()
	defer func() {
		close(stop)
		<-stopped
	}()
	return question()
}

// showProgress has one line on a terminal, which is gone in the end; elsewhere it adds a line every ten seconds.
func (a *app) showProgress(what string, stop <-chan struct{}) {
	const erase = "\r\x1b[K"
	began, next, drawn := time.Now(), time.Second, false
	for {
		select {
		case <-stop:
			if drawn {
				fmt.Fprint(a.Err, erase)
			}
			return
		case <-time.After(next):
		}
		line := fmt.Sprintf("%s (%s)", clean(what), time.Since(began).Truncate(time.Second))
		if a.ErrTerminal {
			drawn = true
			fmt.Fprint(a.Err, erase+line)
		} else {
			next = 10 * time.Second
			fmt.Fprintln(a.Err, line)
		}
	}
}

// someoneToAsk is the failure of what needs to be confirmed without --yes, where there is no terminal to ask on.
func (a *app) someoneToAsk(what string) error {
	if !a.flags.yes && (!a.InTerminal || !a.ErrTerminal) {
		return usage("pass --yes", "%s needs to be confirmed, and there is no terminal to ask at", what)
	}
	return nil
}

// confirm asks a person whether to go on with something, and returns nil where the answer is yes, or given by --yes.
func (a *app) confirm(ctx context.Context, what string) error {
	if err := a.someoneToAsk(what); err != nil || a.flags.yes {
		return err
	}
	yes, err := a.yes(ctx, "Go on with "+what+"?")
	return confirmed(yes, err)
}

// confirmChanged asks a person once more, after what was agreed to has changed. The answer is the number of things that it is about now,
// for a yes that was typed before this was asked must not answer it.
func (a *app) confirmChanged(ctx context.Context, what string, n int, things string) error {
	answer, err := a.answerTo(ctx, fmt.Sprintf("Go on with %s? Then type the number of %s, %d:", clean(what), things, n))
	return confirmed(answer == strconv.Itoa(n), err)
}

func confirmed(yes bool, err error) error {
	if err != nil || yes {
		return err
	}
	return &failure{exit: ExitFailed, Code: codeDeclined, Detail: "not confirmed; nothing was changed"}
}

// yes asks a person a question, and tells whether the answer is yes.
func (a *app) yes(ctx context.Context, question string) (bool, error) {
	answer, err := a.answerTo(ctx, clean(question)+" "+string(a.newPage(a.ErrTerminal).paint(dim, "[y/N]")))
	return answer == "y" || answer == "yes", err
}

// answerTo asks a person a question that is clean, and returns the answer in small letters.
func (a *app) answerTo(ctx context.Context, question string) (string, error) {
	if a.answers == nil {
		a.answers = bufio.NewReader(a.In)
	}
	fmt.Fprint(a.Err, question+" ")
	answers := make(chan string, 1)
	go func() { // a read from a terminal cannot be called off
		text, _ := a.answers.ReadString('\n') // what cannot be read is no answer
		answers <- strings.ToLower(strings.TrimSpace(text))
	}()
	select {
	case <-ctx.Done():
		fmt.Fprintln(a.Err)
		return "", ctx.Err()
	case got := <-answers:
		return got, nil
	}
}
