package main

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// visit runs hence explore, takes the address that it prints, and does what
// the lines of a file say; then it presses Ctrl-C. It prints the answers with
// ids, times and ports replaced. A line is one of
//
//	GET PATH           prints the status and the type of a page
//	about              asks what the page asks first
//	PLACE ARGUMENTS    asks as the page does: edges {"id": "Job Queue"}
//	stranger LINE      does a line without the token of the address
//	opened FIFO        prints the address that the browser was given
func visit(ts *testscript.TestScript, _ bool, args []string) {
	env := ts.Value("env").(*testscript.Env)
	process := exec.Command(env.Getenv("HENCE"), append([]string{"explore"}, args[1:]...)...)
	process.Env = append(env.Vars, "PATH="+ts.Getenv("PATH"))
	if secret := ts.Getenv("HENCE_TOKEN"); secret != "" {
		process.Env = append(process.Env, "HENCE_TOKEN="+secret)
	}
	process.Dir = env.WorkDir
	stderr, err := process.StderrPipe()
	ts.Check(err)
	ts.Check(process.Start())
	defer process.Process.Kill() //nolint:errcheck // where a check below has failed
	said := bufio.NewReader(stderr)
	line, _ := said.ReadString('\n')
	_, at, ok := strings.Cut(strings.TrimSpace(line), "exploring at ")
	if !ok {
		rest, _ := io.ReadAll(said)
		ts.Fatalf("hence explore said %s%s", line, rest)
	}
	out := strings.Builder{}
	v := visitor{ts: ts, at: at, secret: ts.Getenv("HENCE_TOKEN")}
	if address, secret, ok := strings.Cut(at, "#token="); ok {
		v.at = address
		v.secret, err = url.QueryUnescape(secret)
		ts.Check(err)
	}
	fmt.Fprint(&out, line)
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		line = strings.TrimSpace(line)
		fmt.Fprintf(&out, "> %s\n%s\n", line, v.does(line))
	}
	ts.Check(process.Process.Signal(os.Interrupt))
	rest, err := io.ReadAll(said)
	ts.Check(err)
	ts.Check(process.Wait())
	text := port.ReplaceAllString(normalise(out.String()), "127.0.0.1:PORT")
	fmt.Fprint(ts.Stdout(), secretInAddress.ReplaceAllString(text, "#token=TOKEN"))
	fmt.Fprint(ts.Stderr(), string(rest))
}

var (
	port            = regexp.MustCompile(`127\.0\.0\.1:\d+`)
	secretInAddress = regexp.MustCompile(`#token=[A-Z2-7]{52}`)
)

// visitor is a browser at the page.
type visitor struct {
	ts         *testscript.TestScript
	at, secret string
}

func (v visitor) does(line string) string {
	what, rest, _ := strings.Cut(line, " ")
	switch what {
	case "GET":
		response, _ := v.fetch(http.MethodGet, strings.TrimSuffix(v.at, "/explore/")+rest, "")
		return response.Status + " " + response.Header.Get("Content-Type")
	case "about":
		return answered(v.fetch(http.MethodGet, v.at+"api/about", ""))
	case "stranger":
		v.secret = ""
		return v.does(rest)
	case "opened":
		given, err := os.ReadFile(v.ts.MkAbs(rest))
		v.ts.Check(err)
		return string(given)
	}
	return answered(v.fetch(http.MethodPost, v.at+"api/"+what, rest))
}

func answered(response *http.Response, body string) string { return response.Status + " " + body }

func (v visitor) fetch(method, address, body string) (*http.Response, string) {
	r, err := http.NewRequest(method, address, strings.NewReader(body))
	v.ts.Check(err)
	r.Header.Set("Content-Type", "application/json")
	if v.secret != "" {
		r.Header.Set("Authorization", "Bearer "+v.secret)
	}
	response, err := http.DefaultClient.Do(r)
	v.ts.Check(err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	v.ts.Check(err)
	return response, string(text)
}
