package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hence"
	"hence/agents"
	"hence/code"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/node"
	"hence/internal/receipts"
	"hence/internal/ref"
	"hence/memory"
	"hence/tools"
	"hence/tools/httpserve"
	"hence/tools/httpserve/oauth"
	"hence/tools/httpserve/token"
	"hence/tools/stdio"
	"hence/vault"
)

// serveOptions are the flags of serve and explore.
type serveOptions struct {
	httpserve.Options
	noUsage   bool
	noWatch   bool // do not import the edits of the vaults
	tokenFile string
	outdated  time.Duration // silence of a cluster's leader after which answers say that they may be outdated
	browse    bool          // for a person here: make a token if one is needed
	open      bool          // open the browser
}

// defaultOutdated is the silence of a cluster's leader after which answers say that they
// may be outdated.
const defaultOutdated = 10 * time.Second

// defaultRate is the limit of requests a second per token.
const defaultRate = 200

func serveCommand(s *session) *cobra.Command {
	o := serveOptions{}
	cmd := bare("serve", count{0, 0}, func(cmd *cobra.Command, _ []string) error {
		if o.outdated <= 0 {
			return fault.New(fault.InvalidArgument, "serve: --outdated-after is %v, and must be above 0", o.outdated)
		}
		// Without --http these flags do nothing, and a user may rely on them, as on a token.
		for _, name := range []string{"explore", "token-file", "allow-host", "rate", "metrics", "url", "issuer", "audience", "tls-cert", "tls-key", "trusted-proxy"} {
			if o.Addr == "" && cmd.Flags().Changed(name) {
				return fault.New(fault.InvalidArgument, "serve: --%s needs an address; add --http 127.0.0.1:7420", name)
			}
		}
		return (&serverRun{s, o}).serve(cmd.Context())
	})
	f := cmd.Flags()
	f.StringSliceVar(&o.Tools.Toolsets, "toolsets", nil, "offer only these `sets` of tools: memory, graph, vault, code, connector (default all but connector; vault and code if the store has one)")
	f.BoolVar(&o.Tools.VaultWrite, "vault-write", false, "let agents write notes of the vaults")
	f.StringVar(&o.Addr, "http", "", "listen on this `address`, such as 127.0.0.1:7420")
	f.Float64Var(&o.Rate, "rate", defaultRate, "requests a second per token; 0 for any `number`")
	f.BoolVar(&o.Metrics, "metrics", false, "offer counters for Prometheus at /metrics")
	o.shared(f)
	f.StringVar(&o.URL, "url", "", "the `address` by which clients know this server, such as https://hence.example/mcp")
	f.StringVar(&o.Issuer, "issuer", "", "accept tokens of this identity provider: its `address`; see hence token map")
	f.StringVar(&o.Audience, "audience", "", "what these tokens have in `aud` (default --url)")
	f.StringVar(&o.TLSCert, "tls-cert", "", "serve TLS with the certificate in this `file`; it is read again when it changes")
	f.StringVar(&o.TLSKey, "tls-key", "", "and the key in this `file`")
	f.StringSliceVar(&o.Proxies, "trusted-proxy", nil, "answer only requests from these `addresses`, of a proxy that does TLS")
	f.BoolVar(&o.Explore, "explore", false, "serve the explorer too, at http://ADDR/explore/")
	_ = cmd.RegisterFlagCompletionFunc("toolsets", cobra.FixedCompletions(tools.Toolsets(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// shared adds the flags that serve and explore have in common.
func (o *serveOptions) shared(f *pflag.FlagSet) {
	f.BoolVar(&o.noUsage, "no-usage", false, "keep no receipts of what is shown, and count no calls for hence stats")
	f.BoolVar(&o.noWatch, "no-watch", false, "do not import edits in the folders of vaults")
	f.StringVar(&o.tokenFile, "token-file", "", "read the token for everything from this `file`")
	f.StringSliceVar(&o.Hosts, "allow-host", nil, "further host `names` of this server, whose pages may use it")
	f.DurationVar(&o.outdated, "outdated-after", defaultOutdated, "on a cluster: warn after this `time` without word from the leader")
}

// serverRun is a run of a server.
type serverRun struct {
	*session
	o serveOptions
}

func (s *serverRun) serve(ctx context.Context) (err error) {
	// The heap of a server is a few megabytes, so that the collector would run every few calls,
	// for an eighth of the time of a search. So it may grow to four times what is in use.
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(300)
	}
	if err := s.leavePlugin(); err != nil {
		return err
	}
	d, err := s.open(ctx, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	log := slog.New(slog.NewTextHandler(s.err, nil))
	if brought, _, err := brings(ctx, d); err != nil {
		return err
	} else if !brought.IsEmpty() {
		log.Warn("the store was made elsewhere, and what it brings does not count here; hence adopt takes it over", "brings", brought.String())
	}
	offered := s.o.Tools
	offered.ReadOnly, offered.Version, offered.Log = s.readOnly, hence.ThisBuild().Version, log
	if err := s.checkNotes(ctx, d); err != nil {
		return err
	}
	defer s.record(ctx, d, &offered)()
	refresh, wake, stop := s.background(ctx, d, log)
	defer stop()
	offered.Refresh = refresh
	offered.Observers = append(offered.Observers, func(receipts.Receipt) { wake() })
	if c := d.Cluster(); c != nil {
		watcher := node.Watch(ctx, c.Contact, s.o.outdated)
		offered.Outdated, s.o.Lag = watcher.Warning, watcher.Lag
	}
	if s.o.Addr != "" {
		return s.serveHTTP(ctx, d, offered)
	}
	offered.NameClients, offered.Surroundings, offered.CodeWrite = s.actor == "", s.surroundings, true
	offered.Session = cmp.Or(s.surroundings()["session_id"], db.NewID())
	server, err := tools.New(d, s.agent(), offered)
	if err != nil {
		return err
	}
	return stdio.Serve(ctx, server, s.in, s.out)
}

// receiptWait is how long a server waits for another process that writes receipts.
const receiptWait = 5 * time.Second

// record has what a server offers keep receipts of its answers, unless the flag says otherwise, and note
// which memories are opened. The function that it returns ends that.
func (s *serverRun) record(ctx context.Context, d *db.DB, offered *tools.Options) (end func()) {
	var book *receipts.Book
	if !s.o.noUsage {
		var err error
		if book, err = receipts.Open(ctx, d.State(), receiptWait); err != nil {
			offered.Log.Warn("no receipts are kept", "error", err)
		}
	}
	recorder := receipts.NewRecorder(book, offered.Log, func(opened []string) {
		if d.ReadOnly() {
			return
		}
		if err := (memory.Store{DB: d, Caller: ref.Caller{Actor: "hence"}}).KeepOpened(context.Background(), opened); err != nil {
			offered.Log.Warn("it was not noted which memories were opened", "memories", len(opened), "error", err)
		}
	})
	offered.Observers = append(offered.Observers, recorder.Record)
	if book != nil {
		offered.Stamped = d
	}
	return func() {
		recorder.Close()
		_ = book.Close()
	}
}

// checkNotes fails if the flags request tools for notes and these cannot be offered.
func (s *serverRun) checkNotes(ctx context.Context, d *db.DB) error {
	asked := slices.Contains(s.o.Tools.Toolsets, tools.VaultSet)
	switch {
	case s.o.Tools.VaultWrite && d.ReadOnly():
		return fault.New(fault.InvalidArgument, "serve: --vault-write and --read-only do not go together")
	case s.o.Tools.VaultWrite && len(s.o.Tools.Toolsets) > 0 && !asked:
		return fault.New(fault.InvalidArgument, "serve: --vault-write needs the toolset vault; add it to --toolsets")
	case !asked && !s.o.Tools.VaultWrite:
		return nil
	}
	vaults, err := vault.Importer{DB: d, Caller: s.agent()}.Vaults(ctx)
	if err == nil && len(vaults) == 0 {
		err = fault.New(fault.NotFound, "serve: the store has no vault; run hence import DIR first")
	}
	return err
}

func (s *serverRun) serveHTTP(ctx context.Context, d *db.DB, offered tools.Options) error {
	secret, err := masterToken(s.o.tokenFile)
	if err != nil {
		return err
	}
	madeToken := ""
	if secret == "" && s.o.browse {
		// If others have tokens, the person here gets one for this run.
		tokens, err := token.List(ctx, d)
		if err != nil {
			return err
		}
		if len(tokens) > 0 {
			madeToken = rand.Text() + rand.Text()
		}
		secret = madeToken
	}
	if s.o.Rate < 0 {
		return fault.New(fault.InvalidArgument, "serve: --rate is %v, and must be at least 0", s.o.Rate)
	}
	o := s.o.Options
	o.Secret, o.Caller, o.Person, o.Tools = secret, s.agent(), s.person(), offered
	o.Caller.Folder, o.Person.Folder = "", "" // a client elsewhere is not told which files are here
	server, err := httpserve.Listen(ctx, d, o)
	if err != nil {
		return err
	}
	if !s.o.browse {
		fmt.Fprintln(s.err, "listening on "+server.URL())
	}
	if s.o.Explore {
		fmt.Fprintln(s.err, "exploring at "+withToken(server.PageURL(), madeToken))
	}
	if s.o.open {
		defer openBrowser(server.PageURL(), secret)()
	}
	return server.Serve(ctx)
}

// minToken is the least length of a token in bytes. Shorter ones can be
// guessed.
const minToken = 16

// masterToken returns the token for everything; "" if none is set. It refuses an empty one,
// because its user expects that a token is needed.
func masterToken(file string) (string, error) {
	secret, set := os.LookupEnv("HENCE_TOKEN")
	source := "HENCE_TOKEN"
	if file != "" {
		raw, err := os.ReadFile(file)
		if err != nil {
			return "", fault.Wrap(fault.InvalidArgument, err, "serve: the token cannot be read")
		}
		secret, set, source = string(raw), true, file
	}
	secret = strings.TrimSpace(secret)
	switch {
	case set && secret == "":
		return "", fault.New(fault.InvalidArgument, "serve: %s is set and empty; put a token there (openssl rand -hex 32 makes one), or unset it", source)
	case set && len(secret) < minToken:
		return "", fault.New(fault.InvalidArgument, "serve: the token in %s has under %d characters, so it could be guessed; openssl rand -hex 32 makes one", source, minToken)
	}
	return secret, nil
}

// agent returns the caller of the tools.
func (s *session) agent() ref.Caller {
	c := s.person()
	c.Origin = "agent"
	if s.actor == "" {
		c.Actor = "agent"
	}
	return c
}

// background starts the tasks of a server: it makes missing vectors and, unless noWatch is
// set, imports edits of every vault. A read-only server has none. refresh imports edits before a tool is called, and may
// be nil; wake tells that texts may have been written; stop ends the tasks and waits for them.
func (s *serverRun) background(ctx context.Context, d *db.DB, log *slog.Logger) (refresh func(context.Context, string), wake, stop func()) {
	if d.ReadOnly() {
		return nil, func() {}, func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	wake, stopEmbedding := keepEmbedded(ctx, ref.View{DB: d, Caller: s.agent()}, func(err error) {
		log.Error("vectors could not be made", "error", err)
	})
	keepers := []*vault.Keeper{}
	if !s.o.noWatch {
		keepers = append(keepers,
			keepUp(ctx, vault.Importer{DB: d, Caller: s.person()}.Mirror().Keep, "vault", log, wake),
			keepUp(ctx, code.Importer{DB: d, Caller: s.person()}.Mirror().Keep, "repository", log, wake),
			keepUp(ctx, agents.Importer{DB: d, Caller: s.person()}.Mirror().Keep, "folder", log, wake))
		refresh = func(ctx context.Context, namespace string) {
			for _, k := range keepers {
				k.Look(ctx, namespace)
			}
		}
	}
	return refresh, wake, func() {
		cancel()
		for _, k := range keepers {
			k.Wait()
		}
		stopEmbedding()
	}
}

// keepUp imports edits of every folder of a mirror until ctx ends. It logs each import and
// calls changed after it. word names one in the log: vault, repository or folder.
func keepUp(ctx context.Context, keep func(context.Context, func(vault.Vault, vault.Report, error)) *vault.Keeper, word string, log *slog.Logger, changed func()) *vault.Keeper {
	return keep(ctx, func(v vault.Vault, r vault.Report, err error) {
		changed()
		switch {
		case errors.Is(err, vault.ErrUnwatchable):
			log.Warn("a "+word+" is not watched, but looked at when a tool is called", word, v.Name, "error", err)
		case err != nil:
			log.Error("a "+word+" was not imported", word, v.Name, "error", err)
		default:
			log.Info("a "+word+" was imported", word, v.Name, "added", r.Added, "updated", r.Updated, "moved", r.Moved, "removed", r.Removed)
		}
	})
}

func exploreCommand(s *session) *cobra.Command {
	o := serveOptions{Options: httpserve.Options{Explore: true, Rate: defaultRate}, browse: true}
	noBrowser := false
	cmd := bare("explore", count{0, 0}, func(cmd *cobra.Command, _ []string) error {
		o.open = !noBrowser
		return (&serverRun{s, o}).serve(cmd.Context())
	})
	f := cmd.Flags()
	f.StringVar(&o.Addr, "addr", "127.0.0.1:0", "listen on this `address`; port 0 takes any that is free")
	f.BoolVar(&noBrowser, "no-browser", false, "only print the address")
	o.shared(f)
	return cmd
}

// withToken puts a token into the fragment of an address, which browsers do not
// send.
func withToken(address, secret string) string {
	if secret == "" {
		return address
	}
	return address + "#token=" + url.QueryEscape(secret)
}

// redirectPage is a page that redirects to an address.
const redirectPage = `<!doctype html><meta charset="utf-8"><title>Hence</title>
<meta http-equiv="refresh" content="0;url=%[1]s"><a href="%[1]s">the explorer</a>
`

// redirectLife is the time after which that page is removed.
const redirectLife = time.Minute

// openBrowser opens an address in the browser, if there is one. A secret is
// passed in a file, because other users can read the arguments of programs;
// done removes the file.
func openBrowser(address, secret string) (done func()) {
	done = func() {}
	if secret != "" {
		page, err := os.CreateTemp("", "hence-explore-*.html") // readable by its owner only
		if err != nil {
			return done
		}
		done = func() { _ = os.Remove(page.Name()) }
		_, err = fmt.Fprintf(page, redirectPage, html.EscapeString(withToken(address, secret)))
		if errors.Join(err, page.Close()) != nil {
			return done
		}
		time.AfterFunc(redirectLife, done)
		address = page.Name()
	}
	opener := exec.Command("xdg-open", address)
	switch runtime.GOOS {
	case "darwin":
		opener = exec.Command("open", address)
	case "windows":
		opener = exec.Command("rundll32", "url.dll,FileProtocolHandler", address)
	}
	if opener.Start() == nil {
		go opener.Wait() //nolint:errcheck // it is enough that the address is printed
	}
	return done
}

// readyTime is the longest time that hence ready waits for an answer: health checks of
// containers have a few seconds.
const readyTime = 4 * time.Second

func readyCommand(s *session) *cobra.Command {
	cmd := bare("ready", count{0, 1}, func(cmd *cobra.Command, words []string) error {
		address := "127.0.0.1:7420"
		if len(words) > 0 {
			address = words[0]
		}
		answer, err := askReady(cmd.Context(), address)
		if err != nil {
			return err
		}
		if s.asJSON {
			return printJSON(s.out, map[string]any{"ready": true, "said": answer})
		}
		_, err = fmt.Fprintln(s.out, answer)
		return err
	})
	cmd.Hidden = true
	return cmd
}

// askReady asks a server, at host:port or a URL, whether it is ready, and returns the text of
// its answer. It fails with unavailable if the server is not ready or does not answer.
func askReady(ctx context.Context, address string) (message string, err error) {
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	at, err := url.Parse(address)
	if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" {
		return "", fault.New(fault.InvalidArgument, "ready: %q is not an address; write it as 127.0.0.1:7420 or https://hence.example", address)
	}
	at.Path, at.RawQuery, at.Fragment = "/readyz", "", ""
	ctx, cancel := context.WithTimeout(ctx, readyTime)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return "", fault.Wrap(fault.InvalidArgument, err, "ready: %s", address)
	}
	client := &http.Client{
		Transport:     &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: oauth.IsLoopback(at.Hostname())}}, //nolint:gosec // see Long
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	defer client.CloseIdleConnections()
	answer, err := client.Do(request)
	if err != nil {
		return "", fault.Wrap(fault.Unavailable, err, "ready: there is no answer; see whether hence serve --http runs there")
	}
	defer answer.Body.Close()
	const enough = 1000 // bytes
	body, err := io.ReadAll(io.LimitReader(answer.Body, enough))
	message = strings.TrimSpace(string(body))
	if err != nil || answer.StatusCode != http.StatusOK {
		return "", fault.New(fault.Unavailable, "ready: %s says %s: %s", at.Host, answer.Status, message)
	}
	return message, nil
}
