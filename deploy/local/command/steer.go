package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"svc/deploy/local"
)

// remote is the stack that SVC_LOCAL_DIR names.
func remote() (local.Remote, error) {
	cfg, err := local.FromEnvironment()
	if err != nil {
		return local.Remote{}, err
	}
	return local.FindRemote(cfg.Dir)
}

func stop(ctx context.Context, args []string) error {
	if len(args) > 1 {
		return errors.New(usage)
	}
	stack, err := remote()
	if err != nil {
		return err
	}
	if len(args) == 0 {
		return stack.Stop(ctx)
	}
	line, err := stack.StopPart(ctx, args[0])
	return printLine(line, err)
}

func start(ctx context.Context, args []string) error {
	if len(args) != 1 {
		return errors.New(usage)
	}
	stack, err := remote()
	if err != nil {
		return err
	}
	line, err := stack.StartPart(ctx, args[0])
	return printLine(line, err)
}

func printLine(line string, err error) error {
	if err == nil {
		_, err = fmt.Println(line)
	}
	return err
}

// execute becomes the command: its terminal, its signals and its exit code are those of this process.
func execute(ctx context.Context, args []string) error {
	if len(args) < 3 || args[1] != "--" {
		return errors.New(usage)
	}
	stack, err := remote()
	if err != nil {
		return err
	}
	variables, err := stack.Environment(ctx, args[0])
	if err != nil {
		return err
	}
	program, err := exec.LookPath(args[2])
	if err != nil {
		return err
	}
	environment := os.Environ()
	for _, variable := range variables {
		// All else is the caller's own, such as PATH.
		if strings.HasPrefix(variable, "SVC_") {
			environment = append(environment, variable)
		}
	}
	if err := syscall.Exec(program, args[2:], unique(environment)); err != nil {
		return fmt.Errorf("run %s: %w", program, err)
	}
	return nil
}

// unique keeps the last value of each variable, where programs differ in which of several they take.
func unique(environment []string) []string {
	return (&exec.Cmd{Env: environment}).Environ()
}
