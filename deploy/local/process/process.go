// Package process starts programs that live and die with the one that started them.
//
// A child gets a process group of its own, so that Ctrl-C reaches the supervisor alone and it can stop its children in
// order. The kernel ends a child when its supervisor dies, even by SIGKILL. A marker in the child's environment says whose
// it is, so that what a killed supervisor left behind can be told from the programs of others.
package process

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// Spec says how a program runs.
type Spec struct {
	// Name is the part's name, such as "postgres" or "edge-1".
	Name string
	// Home is the absolute directory of the stack the part belongs to. Name and Home make the marker.
	Home string
	// Path is the program; Args are its arguments, without the program's name.
	Path string
	Args []string
	// Dir is the working directory; Home when empty.
	Dir string
	// Env is the whole environment but for the marker.
	Env []string
	// User is who runs it; nil is the user of the supervisor.
	User *User
	// Log is the file that takes its standard output and error; it is appended to.
	Log string
	// Stop asks for a graceful end; SIGTERM when zero.
	Stop syscall.Signal
	// Orphaned is what the kernel sends when the supervisor dies; SIGKILL when zero.
	Orphaned syscall.Signal
	// Grace is how long a graceful end may take before SIGKILL; 10 s when zero.
	Grace time.Duration
}

// Process is a running or ended program.
type Process struct {
	spec Spec
	cmd  *exec.Cmd
	done chan struct{}
	err  error
	// begin is where in the log file its lines begin.
	begin int64
}

// Start runs the program. Its log file is opened before it starts and rotated when it has grown large.
func Start(spec Spec) (*Process, error) {
	log, err := openLog(spec.Log)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	info, err := log.Stat()
	if err != nil {
		return nil, fmt.Errorf("log of %s: %w", spec.Name, err)
	}
	p := &Process{spec: spec, cmd: command(spec, log), done: make(chan struct{}), begin: info.Size()}
	started := make(chan error, 1)
	go p.run(started)
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s (%s): %w", spec.Name, spec.Path, err)
	}
	return p, nil
}

// run starts the program and waits for its end on one thread: the kernel sends the parent death signal when the thread
// that started a child ends, not when the whole process does.
func (p *Process) run(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := p.cmd.Start(); err != nil {
		started <- err
		return
	}
	started <- nil
	p.err = p.cmd.Wait()
	close(p.done)
}

func command(spec Spec, log *os.File) *exec.Cmd {
	cmd := exec.Command(spec.Path, spec.Args...)
	cmd.Dir = spec.Dir
	if cmd.Dir == "" {
		cmd.Dir = spec.Home
	}
	cmd.Env = append(append([]string{}, spec.Env...), marker+"="+mark(spec.Home, spec.Name))
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if spec.Orphaned != 0 {
		cmd.SysProcAttr.Pdeathsig = spec.Orphaned
	}
	if spec.User != nil {
		cmd.SysProcAttr.Credential = spec.User.credential()
	}
	return cmd
}

// Pid is the process id.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// Done is closed when the program has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Ended reports whether the program has ended.
func (p *Process) Ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// Err is how the program ended, valid once Done is closed; nil for exit code 0.
func (p *Process) Err() error { return p.err }

// Signal sends a signal to the program alone.
func (p *Process) Signal(signal syscall.Signal) error { return p.cmd.Process.Signal(signal) }

// End asks the program to end, and ends it by force when it has not done so within its grace. It returns when it is gone.
// Ending an ended program does nothing.
func (p *Process) End() {
	stop, grace := p.spec.Stop, p.spec.Grace
	if stop == 0 {
		stop = syscall.SIGTERM
	}
	if grace == 0 {
		grace = 10 * time.Second
	}
	if p.Signal(stop) == nil {
		timer := time.NewTimer(grace)
		defer timer.Stop()
		select {
		case <-p.done:
			return
		case <-timer.C:
		}
	}
	p.Kill()
}

// Kill ends the program by force and returns when it is gone.
func (p *Process) Kill() {
	// The only error is that it has ended already.
	_ = p.Signal(syscall.SIGKILL)
	<-p.done
}
