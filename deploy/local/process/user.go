package process

import (
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// User is an account a program can run as.
type User struct {
	Name     string
	uid, gid uint32
}

// LookupUser finds an account by name.
func LookupUser(name string) (*User, error) {
	account, err := user.Lookup(name)
	if err != nil {
		return nil, fmt.Errorf("find user %s: %w", name, err)
	}
	uid, err := strconv.ParseUint(account.Uid, 10, 32)
	if err != nil {
		return nil, fmt.Errorf("user id of %s: %w", name, err)
	}
	gid, err := strconv.ParseUint(account.Gid, 10, 32)
	if err != nil {
		return nil, fmt.Errorf("group id of %s: %w", name, err)
	}
	return &User{Name: name, uid: uint32(uid), gid: uint32(gid)}, nil
}

func (u *User) credential() *syscall.Credential {
	return &syscall.Credential{Uid: u.uid, Gid: u.gid}
}

// Own makes the user the owner of a file or directory.
func (u *User) Own(path string) error { return os.Chown(path, int(u.uid), int(u.gid)) }

// CanEnter tells whether the user may enter a directory, which takes search permission on all that lead to it.
func (u *User) CanEnter(dir string) bool {
	cmd := exec.Command("test", "-x", dir)
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: u.credential()}
	return cmd.Run() == nil
}

// Run runs a program to its end as the user (nil: as the caller) and returns what it printed.
func (u *User) Run(env []string, path string, args ...string) ([]byte, error) {
	cmd := exec.Command(path, args...)
	cmd.Dir, cmd.Env = "/", env
	if u != nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: u.credential()}
	}
	return cmd.CombinedOutput()
}
