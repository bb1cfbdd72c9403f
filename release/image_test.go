//go:build linux

package main

import (
	"bytes"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
)

// built is what a Dockerfile describes.
type built struct {
	from             string
	root             string // the folder that is the container's root
	env              []string
	uid, gid         uint32
	folder           string
	command, healthy []string // of a container without arguments
	entry            []string
	labels           map[string]string
}

// assemble carries out the lines of a Dockerfile on a folder, as an engine would. It knows
// only the instructions that the files use, so that a new one fails here.
func assemble(t *testing.T, dockerfile, context, arch string) (b built) {
	t.Helper()
	text, err := os.ReadFile(dockerfile)
	if err != nil {
		t.Fatal(err)
	}
	b.root = t.TempDir()
	if err := os.Chmod(b.root, 0o755); err != nil {
		t.Fatal(err)
	}
	list := func(words string) (list []string) {
		if err := json.Unmarshal([]byte(words), &list); err != nil {
			t.Fatalf("%s: %v", words, err)
		}
		return list
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(strings.ReplaceAll(line, "${TARGETARCH}", arch))
		word, rest, _ := strings.Cut(line, " ")
		switch {
		case line == "" || word[0] == '#' || word == "ARG" || word == "EXPOSE" || word == "VOLUME":
		case word == "LABEL":
			b.labels = map[string]string{}
			for _, label := range regexp.MustCompile(`(\S+)="([^"]*)"`).FindAllStringSubmatch(rest, -1) {
				b.labels[label[1]] = label[2]
			}
		case word == "FROM":
			b.from = rest
		case word == "COPY":
			b.copy(t, context, strings.Fields(rest))
		case word == "ENV":
			b.env = append(b.env, strings.Fields(rest)...)
		case word == "USER":
			uid, gid, _ := strings.Cut(rest, ":")
			b.uid, b.gid = number(t, uid), number(t, gid)
		case word == "WORKDIR":
			b.folder = rest
		case word == "HEALTHCHECK":
			_, command, _ := strings.Cut(rest, "CMD ")
			b.healthy = list(command)
		case word == "ENTRYPOINT":
			b.entry = list(rest)
		case word == "CMD":
			b.command = list(rest)
		default:
			t.Fatalf("%s: this test does not know %s", dockerfile, word)
		}
	}
	return b
}

func number(t *testing.T, text string) uint32 {
	t.Helper()
	n, err := strconv.ParseUint(text, 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	return uint32(n)
}

// copy is COPY [--chown=U:G] [--chmod=M] FROM TO.
func (b *built) copy(t *testing.T, context string, words []string) {
	t.Helper()
	uid, gid, mode := 0, 0, fs.FileMode(0)
	for strings.HasPrefix(words[0], "--") {
		flag, value, _ := strings.Cut(words[0], "=")
		switch words = words[1:]; flag {
		case "--chown":
			u, g, _ := strings.Cut(value, ":")
			uid, gid = int(number(t, u)), int(number(t, g))
		case "--chmod":
			m, err := strconv.ParseUint(value, 8, 12)
			if err != nil {
				t.Fatal(err)
			}
			mode = fs.FileMode(m & 0o777)
			if m&0o1000 != 0 {
				mode |= fs.ModeSticky
			}
		default:
			t.Fatalf("COPY %s", flag)
		}
	}
	from, to := filepath.Join(context, words[0]), filepath.Join(b.root, words[1])
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(from)
	if err != nil {
		t.Fatal(err)
	}
	if info.IsDir() {
		if err = os.MkdirAll(to, 0o755); err == nil {
			err = os.CopyFS(to, os.DirFS(from))
		}
	} else {
		copyFile(t, from, to)
	}
	if err == nil && mode != 0 {
		err = os.Chmod(to, mode)
	}
	if err == nil {
		err = filepath.WalkDir(to, func(at string, _ fs.DirEntry, err error) error {
			if err == nil {
				err = os.Lchown(at, uid, gid)
			}
			return err
		})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// run returns the command that a container would run: with its root, user, folder and
// environment, and nothing of this machine's but its network.
func (b built) run(words []string, env ...string) *exec.Cmd {
	program := words[0]
	if !strings.Contains(program, "/") {
		for _, one := range b.env {
			if path, ok := strings.CutPrefix(one, "PATH="); ok {
				program = path + "/" + program
			}
		}
	}
	return &exec.Cmd{
		Path: program, Args: words, Env: append(slices.Clone(b.env), env...), Dir: b.folder,
		SysProcAttr: &syscall.SysProcAttr{Chroot: b.root, Credential: &syscall.Credential{Uid: b.uid, Gid: b.gid}, Pdeathsig: syscall.SIGKILL},
	}
}

// apart runs the calling test again in a network of its own, whose ports are all free, and
// reports whether this is that run.
func apart(t *testing.T) bool {
	t.Helper()
	if runtime.GOOS != "linux" || os.Geteuid() != 0 {
		t.Skip("only root may change the root folder, of Linux")
	}
	runtime.LockOSThread() // a child dies with the thread that started it
	if os.Getenv("HENCE_APART") == t.Name() {
		within(t, exec.Command("ip", "link", "set", "lo", "up"))
		return true
	}
	for _, program := range []string{"unshare", "ip"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(err)
		}
	}
	c := exec.Command("unshare", "--net", os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	c.Env = append(os.Environ(), "HENCE_APART="+t.Name())
	said, err := c.CombinedOutput()
	t.Logf("%s", said)
	if err != nil {
		t.Fatal(err)
	}
	return false
}

// service is one of a docker-compose.yml.
type service struct {
	Image       string
	Command     []string
	Environment map[string]string
	Volumes     []string
	ReadOnly    bool `yaml:"read_only"`
}

func compose(t *testing.T, r *release, name string) map[string]service {
	t.Helper()
	text, err := os.ReadFile(r.path("container", name))
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Services map[string]service }
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	return file.Services
}

const secret = "0123456789abcdef0123456789abcdef"

// environment is that of a service, with the token that a person would put into .env.
func (s service) environment() (env []string) {
	for name, value := range s.Environment {
		env = append(env, name+"="+regexp.MustCompile(`\$\{HENCE_TOKEN:\?[^}]*\}`).ReplaceAllString(value, secret))
	}
	return env
}

// A person with nothing but a container's root: what the Dockerfile describes is put
// together and run, as the service of docker-compose.yml.
func TestDistImage(t *testing.T) {
	r := dist(t)
	if !apart(t) {
		return
	}
	b := assemble(t, r.path("container", "Dockerfile"), r.path("container"), runtime.GOARCH)
	if b.from != "scratch" || b.uid == 0 || b.gid == 0 {
		t.Errorf("from %s, as %d:%d", b.from, b.uid, b.gid)
	}
	// The registry of MCP servers refuses an image without the server's name.
	var server struct{ Name string }
	text, err := os.ReadFile(r.path("server.json"))
	if err == nil {
		err = json.Unmarshal(text, &server)
	}
	if label := b.labels["io.modelcontextprotocol.server.name"]; err != nil || label != server.Name {
		t.Errorf("the image is that of %q, and server.json that of %q: %v", label, server.Name, err)
	}
	answersInit(t, within(t, b.run(append(b.entry, "init", "--client", "claude-code"))), filepath.Join(b.root, "data"))
	if said, err := b.run(b.healthy).CombinedOutput(); err == nil {
		t.Errorf("healthy before anything serves: %s", said)
	}
	// Without a token nothing is open to other machines.
	if said, err := b.run(append(b.entry, b.command...)).CombinedOutput(); err == nil || !bytes.Contains(said, []byte("needs a token")) {
		t.Errorf("it serves without a token: %v: %s", err, said)
	}
	s := compose(t, r, "docker-compose.yml")["hence"]
	serve := b.run(append(b.entry, s.Command...), s.environment()...)
	var errs bytes.Buffer
	serve.Stderr = &errs
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	waitUntil(t, "healthy", func() bool { return b.run(b.healthy).Run() == nil })
	within(t, b.run(append(b.entry, "store", "The queue drains in an hour.")))
	for token, want := range map[string]int{secret: http.StatusOK, "wrong": http.StatusUnauthorized} {
		if got := ask(t, "127.0.0.1:7420", token, "The queue drains"); got != want {
			t.Errorf("with the token %s: %d, want %d", token, got, want)
		}
	}
	if err := serve.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := serve.Wait(); err != nil {
		t.Errorf("it ends with %v\n%s", err, errs.String())
	}
}

// An image says of all that is in it under what terms it comes.
func TestDistImageHasItsLicences(t *testing.T) {
	r := dist(t)
	for _, tt := range buildableTargets() {
		if tt.os != "linux" {
			continue
		}
		parts, err := r.linkedParts(tt)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{"Dockerfile", "node.Dockerfile"} {
			b := assemble(t, r.path("container", file), r.path("container"), tt.arch)
			licence, err := os.ReadFile(filepath.Join(b.root, "usr/share/doc/hence/LICENSE"))
			if err != nil || licenceOf(string(licence)) != "MIT" {
				t.Errorf("%s: %v", file, err)
			}
			notice, err := os.ReadFile(filepath.Join(b.root, "usr/share/doc/hence/THIRD_PARTY.txt"))
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range append(parts, part{name: "ca-certificates", texts: []string{"Mozilla Public License Version 2.0"}}) {
				for _, text := range append(p.texts, "\n  "+p.name) {
					if !strings.Contains(string(notice), strings.TrimSpace(text)) {
						t.Errorf("%s for %s has no licence of %s", file, tt, p.name)
					}
				}
			}
		}
	}
}

// The image trusts whom Debian trusts, and nobody whom this machine trusts besides.
func TestAuthoritiesAreThoseOfDebian(t *testing.T) {
	text, err := readAuthorities()
	if err != nil {
		t.Skip(err)
	}
	files, err := filepath.Glob(debianAuthorities + "/*")
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for rest := text; ; count++ {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		if _, err := x509.ParseCertificate(block.Bytes); err != nil {
			t.Error(err)
		}
	}
	if count != len(files) {
		t.Errorf("it trusts %d authorities, and Debian %d", count, len(files))
	}
}

// ask searches over HTTP, and returns the status.
func ask(t *testing.T, address, token, want string) int {
	t.Helper()
	status := 0
	session := ""
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"memory_search","arguments":{"query":"queue"}}}`,
	} {
		request, err := http.NewRequest(http.MethodPost, "http://"+address+"/mcp", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+token)
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Accept", "application/json, text/event-stream")
		if session != "" {
			request.Header.Set("Mcp-Session-Id", session)
		}
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		var said bytes.Buffer
		_, err = said.ReadFrom(answer.Body)
		_ = answer.Body.Close()
		if status = answer.StatusCode; err != nil || status != http.StatusOK {
			return status
		}
		session = answer.Header.Get("Mcp-Session-Id")
		if strings.Contains(body, "memory_search") && !strings.Contains(said.String(), want) {
			t.Errorf("the search says %s", said.String())
		}
	}
	return status
}

func waitUntil(t *testing.T, what string, is func() bool) {
	t.Helper()
	begun := time.Now()
	for !is() {
		if time.Since(begun) > time.Minute {
			t.Fatalf("not %s within a minute", what)
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Logf("%s after %v", what, time.Since(begun).Round(time.Millisecond))
}

// The three nodes and three servers of the cluster's file, each at an address of this
// machine. The image of a node has rqlited, so it runs in the root of a
// server's here, to which rqlited is added: HENCE_TEST_RQLITED names one, which must be
// static or find its libraries at the paths that it has here.
func TestDistClusterOfContainers(t *testing.T) {
	r := dist(t)
	rqlited := os.Getenv("HENCE_TEST_RQLITED")
	if rqlited == "" {
		t.Skip("HENCE_TEST_RQLITED names no program")
	}
	if !apart(t) {
		return
	}
	node := assembleNode(t, r, rqlited)
	services := compose(t, r, "cluster.docker-compose.yml")
	certificates := makeCertificates(t, r)
	roots := map[string]built{}
	begin := func(name, root string) (address string) {
		s, n := services[name], name[len(name)-1:]
		b := roots[root]
		words := []string{"hence"}
		if name == root {
			words = slices.Clone(node.entry)
		}
		address = fmt.Sprintf("127.0.0.%s:7420", n)
		for _, word := range s.Command {
			words = append(words, strings.Replace(word, "0.0.0.0:7420", address, 1))
		}
		c := b.run(words, s.environment()...)
		var errs bytes.Buffer
		c.Stderr = &errs
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = c.Process.Signal(syscall.SIGTERM)
			_ = c.Wait()
			if t.Failed() {
				t.Logf("%s:\n%s", name, errs.String())
			}
		})
		return address
	}
	for _, name := range []string{"node1", "node2", "node3"} {
		if len(services[name].Volumes) != 2 || services[name].Volumes[0] != name+":/data" || services["server"+name[4:]].Volumes[0] != name+":/data" {
			t.Errorf("%s and its server do not share a volume", name)
		}
		b := node
		b.root = t.TempDir()
		if err := os.Chmod(b.root, 0o755); err != nil {
			t.Fatal(err)
		}
		within(t, exec.Command("cp", "-a", node.root+"/.", b.root))
		within(t, exec.Command("cp", "-a", filepath.Join(certificates, name), filepath.Join(b.root, "certificates")))
		roots[name] = b
		begin(name, name)
	}
	for _, n := range []string{"1", "2", "3"} {
		waitUntil(t, "node"+n+" has a file", func() bool {
			_, err := os.Stat(filepath.Join(roots["node"+n].root, "data", "node", "db.sqlite"))
			return err == nil
		})
	}
	addresses := []string{}
	for _, n := range []string{"1", "2", "3"} {
		addresses = append(addresses, begin("server"+n, "node"+n))
	}
	for i, address := range addresses {
		b := roots[fmt.Sprintf("node%d", i+1)]
		waitUntil(t, "server "+address+" ready", func() bool { return b.run([]string{"hence", "ready", address}).Run() == nil })
	}
	first := roots["node1"]
	within(t, first.run([]string{"hence", "store", "The queue drains in an hour."}, services["server1"].environment()...))
	waitUntil(t, "the third server has what the first node stored", func() bool {
		said, err := roots["node3"].run([]string{"hence", "search", "queue"}, services["server3"].environment()...).CombinedOutput()
		return err == nil && strings.Contains(string(said), "The queue drains")
	})
	for _, address := range addresses {
		if got := ask(t, address, secret, "The queue drains"); got != http.StatusOK {
			t.Errorf("%s: %d", address, got)
		}
	}
}

// assembleNode returns the root of a node: that of a server, with rqlited, what it
// loads, and /dev/null.
func assembleNode(t *testing.T, r *release, rqlited string) built {
	t.Helper()
	b := assemble(t, r.path("container", "Dockerfile"), r.path("container"), runtime.GOARCH)
	described := assemble(t, r.path("container", "node.Dockerfile"), r.path("container"), runtime.GOARCH)
	if described.uid != b.uid || described.entry[0] != "rqlited" {
		t.Error("a node runs as another user than its server, or another program than rqlited")
	}
	b.entry = described.entry
	copyProgram(t, rqlited, b.root, filepath.Join("usr", "local", "bin", "rqlited"))
	// An engine gives every container its devices.
	if err := os.MkdirAll(filepath.Join(b.root, "dev"), 0o755); err != nil {
		t.Fatal(err)
	}
	within(t, exec.Command("mknod", "-m", "666", filepath.Join(b.root, "dev", "null"), "c", "1", "3"))
	hosts := "127.0.0.1 localhost node1\n127.0.0.2 node2\n127.0.0.3 node3\n"
	if err := os.WriteFile(filepath.Join(b.root, "etc", "hosts"), []byte(hosts), 0o644); err != nil {
		t.Fatal(err)
	}
	return b
}

// makeCertificates runs certificates.sh as its comment says.
func makeCertificates(t *testing.T, r *release) (folder string) {
	t.Helper()
	c := exec.Command(r.path("container", "certificates.sh"), "node1", "node2", "node3")
	c.Dir = t.TempDir()
	within(t, c)
	return filepath.Join(c.Dir, "certificates")
}

// A container sees the key of its node and no other, and can read it; the authority's is
// nowhere that a container sees. Who cannot give files to the containers' user is told.
func TestDistCertificates(t *testing.T) {
	r := dist(t)
	if os.Geteuid() != 0 {
		t.Skip("only root gives files to another user")
	}
	folder := makeCertificates(t, r)
	for name, s := range compose(t, r, "cluster.docker-compose.yml") {
		node := "node" + name[len(name)-1:]
		if want := "./certificates/" + node + ":/certificates:ro"; !slices.Contains(s.Volumes, want) {
			t.Errorf("%s has the volumes %v, without %s", name, s.Volumes, want)
		}
		files, err := os.ReadDir(filepath.Join(folder, node))
		if err != nil {
			t.Fatal(err)
		}
		names := []string{}
		for _, f := range files {
			names = append(names, f.Name())
			info, err := f.Info()
			if err != nil || info.Sys().(*syscall.Stat_t).Uid != 65532 || info.Mode().Perm() != 0o600 {
				t.Errorf("%s: %v, %v", f.Name(), info, err)
			}
		}
		if want := []string{"ca.pem", node + ".key", node + ".pem"}; !slices.Equal(names, want) {
			t.Errorf("%s sees %v, want %v", name, names, want)
		}
	}
	if err := os.Chmod(filepath.Dir(folder), 0o777); err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(filepath.Dir(folder), "certificates.sh")
	copyFile(t, r.path("container", "certificates.sh"), script)
	c := exec.Command("/bin/sh", "-s", "node1")
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	in, err := os.Open(script)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	c.Stdin = in
	if said, err := c.CombinedOutput(); err == nil || !strings.Contains(string(said), "run it with sudo") {
		t.Errorf("as somebody else: %v: %s", err, said)
	}
}
