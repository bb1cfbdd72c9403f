package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/url"
	"os/exec"
	"strings"

	"hence/internal/fault"
	"hence/memory/exchange"
)

// sshStore is a store on another machine, which the person's own ssh reaches.
type sshStore struct {
	name string
	host []string // arguments of ssh that name the machine
	call string   // the command line of hence there, without its command
}

// newSSHStore parses ssh://[USER@]HOST[:PORT][/PATH]. /~/PATH is below the home folder.
func newSSHStore(name, namespace string) (sshStore, error) {
	u, err := url.Parse(name)
	if err != nil || u.Hostname() == "" || u.RawQuery != "" || u.Fragment != "" {
		return sshStore{}, fault.New(fault.InvalidArgument, "sync: %s is not an address such as ssh://laptop/home/me/hence.db", name)
	}
	if _, secret := u.User.Password(); secret || strings.HasPrefix(u.Hostname(), "-") || strings.HasPrefix(u.User.Username(), "-") {
		return sshStore{}, fault.New(fault.InvalidArgument, "sync: an address has a user and a host, and no password; ssh asks for what it needs")
	}
	r := sshStore{name: name, call: "hence"}
	if u.Port() != "" {
		r.host = append(r.host, "-p", u.Port())
	}
	machine := u.Hostname()
	if u.User.Username() != "" {
		machine = u.User.Username() + "@" + machine
	}
	r.host = append(r.host, "--", machine)
	if path := strings.TrimPrefix(u.Path, "/~/"); strings.Trim(path, "/") != "" {
		r.call += " --db " + quote(path)
	}
	if namespace != "" {
		r.call += " --namespace " + quote(namespace)
	}
	return r, nil
}

// quote returns a text as one word of a shell.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// run runs a command of hence on the other machine.
func (r sshStore) run(ctx context.Context, command string, in io.Reader, out io.Writer) error {
	var stderr bytes.Buffer
	ssh := exec.CommandContext(ctx, "ssh", append(append([]string{}, r.host...), r.call+" "+command)...)
	ssh.Stdin, ssh.Stdout, ssh.Stderr = in, out, &stderr
	if err := ssh.Run(); err != nil {
		const most = 500
		text := strings.TrimSpace(stderr.String())
		return fault.Wrap(fault.Unavailable, errors.Join(err, errors.New(text[:min(len(text), most)])), "sync %s: hence %s failed there", r.name, command)
	}
	return nil
}

func (r sshStore) merge(ctx context.Context, x exchange.Store, dry bool) (done exchange.Merged, err error) {
	err = exchange.Pipe(func(out io.Writer) error { return r.run(ctx, "export", nil, out) }, func(in io.Reader) error {
		done, err = x.Merge(ctx, in, exchange.ImportArgs{Name: r.name, DryRun: dry})
		return err
	})
	return done, err
}

func (r sshStore) give(ctx context.Context, x exchange.Store, done *syncResult) (err error) {
	var some bytes.Buffer
	if done.Sent, err = x.ExportLacking(ctx, &some, done.Here); err != nil || done.Sent == 0 || done.Here.DryRun {
		return err
	}
	return r.run(ctx, "import --merge -", &some, io.Discard)
}
