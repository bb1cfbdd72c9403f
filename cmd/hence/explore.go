package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"html"
	"net/url"
	"os"
	"os/exec"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"hence/internal/db"
	"hence/tools/httpserve/token"
)

func (s *session) exploreCommand() *cobra.Command {
	o := serving{explore: true, browse: true, rate: defaultRate}
	noBrowser := false
	cmd := &cobra.Command{
		Use:     "explore",
		GroupID: groupGraph,
		Short:   "See the graph in a browser",
		Long: `Serves a page in which to search, read, walk and review what is remembered, and
opens it in your browser. The page comes from this program and asks nobody
else. It goes with this command: Ctrl-C ends both.

Only this machine may look, unless --addr says otherwise. A store that has
tokens (hence token add) asks for one here too; then one is made for this run,
and is in the address. --read-only shows everything and lets nothing be changed.
What is edited in a vault meanwhile is taken in, unless --no-watch is given.`,
		Example: `  hence explore
  hence explore --read-only --addr 127.0.0.1:7421 --no-browser`,
		Args: count{0, 0}.check,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.open = !noBrowser
			return asFault(s.serve(cmd.Context(), o))
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.addr, "addr", "127.0.0.1:0", "listen on this `address`; port 0 takes any that is free")
	f.BoolVar(&noBrowser, "no-browser", false, "only print the address")
	f.StringVar(&o.tokenFile, "token-file", "", "read the token that opens everything from this `file`")
	f.StringSliceVar(&o.hosts, "allow-host", nil, "further `names` that the server is called by, and whose pages may ask it")
	f.BoolVar(&o.noUsage, "no-usage", false, "do not count calls for hence stats")
	watchFlags(cmd, &o)
	return cmd
}

// tokenOfThisRun makes a token where the store asks for one, so that whoever
// owns the file need not look for theirs. It returns "" where none is needed.
func tokenOfThisRun(ctx context.Context, d *db.DB) (string, error) {
	tokens, err := token.List(ctx, d)
	if err != nil || len(tokens) == 0 {
		return "", err
	}
	return rand.Text() + rand.Text(), nil
}

// addressed is an address with a token in its fragment, which a browser keeps
// to itself: it is in no request.
func addressed(address, secret string) string {
	if secret == "" {
		return address
	}
	return address + "#token=" + url.QueryEscape(secret)
}

// leading is a page that leads to an address.
const leading = `<!doctype html><meta charset="utf-8"><title>Hence</title>
<meta http-equiv="refresh" content="0;url=%[1]s"><a href="%[1]s">the explorer</a>
`

// leadTo writes a page that leads to an address, for its owner's eyes only.
func leadTo(address string) (file string, err error) {
	f, err := os.CreateTemp("", "hence-explore-*.html")
	if err != nil {
		return "", err
	}
	_, err = fmt.Fprintf(f, leading, html.EscapeString(address))
	return f.Name(), errors.Join(err, f.Close())
}

// leadFor is how long a browser may take to read where it is led.
const leadFor = time.Minute

// openBrowser shows an address to whoever sits here. Where that cannot be,
// they have it on the screen. A secret goes by a file, as everybody on this
// machine can read what a program is started with; done takes that away.
func openBrowser(address, secret string) (done func()) {
	done = func() {}
	if secret != "" {
		file, err := leadTo(addressed(address, secret))
		done = func() { _ = os.Remove(file) }
		if err != nil {
			return done
		}
		time.AfterFunc(leadFor, done)
		address = file
	}
	opener := exec.Command("xdg-open", address)
	switch runtime.GOOS {
	case "darwin":
		opener = exec.Command("open", address)
	case "windows":
		opener = exec.Command("rundll32", "url.dll,FileProtocolHandler", address)
	}
	if opener.Start() == nil {
		go opener.Wait() //nolint:errcheck // nobody is told
	}
	return done
}
