// Command local runs the stack of package local, and the servers embedded in it.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"

	"svc/deploy/local/command"
)

func main() {
	err := command.Run(os.Args[1:], os.Stdout)
	// The exit code of a command that was run is passed on.
	if exit := new(exec.ExitError); errors.As(err, &exit) && exit.ExitCode() > 0 {
		os.Exit(exit.ExitCode())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "local:", err)
		os.Exit(1)
	}
}
