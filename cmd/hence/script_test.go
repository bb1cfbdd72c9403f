package main

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"hence/internal/db/dbtest"
	"hence/tools"
)

// noSleep is the setting of the race detector without which each call of the
// program takes a second longer.
const noSleep = "atexit_sleep_ms=0"

func TestMain(m *testing.M) {
	if os.Getenv("GORACE") == "" {
		_ = os.Setenv("GORACE", noSleep)
	}
	testscript.Main(apart{m}, map[string]func(){"hence": main, "hence-killed": importUntilRefused, "hence-writes-killed": writeUntilRefused})
}

// apart runs the tests with a state directory of their own.
type apart struct{ *testing.M }

func (m apart) Run() int {
	state, err := os.MkdirTemp("", "hence-test-state-")
	if err == nil {
		err = os.Setenv("XDG_STATE_HOME", state)
	}
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(state)
	return m.M.Run()
}

// TestScripts runs the program as its users do: see testdata/script. The
// commands that the scripts have beside the usual ones are
//
//	normal FILE       prints a file (or stdout) with ids and times replaced
//	exits CODE COMMAND  runs a command that must exit with the code
//	visit FILE [flag…]  looks at hence explore: see explore_test.go
//	mcp FILE [flag…]  talks to hence serve: see mcp_test.go
//	bytes FILE TEXT   writes a file of a quoted Go string, for what txtar cannot hold
//
// With -short, as under the race detector, only those run in which a process does several
// things at once: those of a server, a watcher, a hook, or a process in the background.
func TestScripts(t *testing.T) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	program, err := exec.LookPath("hence")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	if testing.Short() {
		files = slices.DeleteFunc(files, func(file string) bool { return !severalAtOnce.MatchString(file) })
	}
	testscript.Run(t, testscript.Params{
		Files:               files,
		WorkdirRoot:         dbtest.Folder(t),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE") != "",
		Setup: func(e *testscript.Env) error {
			e.Setenv("HENCE_DB", e.WorkDir+"/hence.db")
			e.Setenv("XDG_STATE_HOME", e.WorkDir+"/.state")
			e.Setenv("TZ", "UTC")
			e.Setenv("GORACE", os.Getenv("GORACE"))
			e.Setenv("EXAMPLES", filepath.Join(here, "..", "..", "examples"))
			e.Setenv("HENCE", program)
			e.Values["env"] = e
			return nil
		},
		Condition: func(name string) (bool, error) {
			return name == "root" && os.Geteuid() == 0, nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"normal": func(ts *testscript.TestScript, _ bool, args []string) {
				_, err := io.WriteString(ts.Stdout(), normalise(ts.ReadFile(args[0])))
				ts.Check(err)
			},
			"bytes": func(ts *testscript.TestScript, _ bool, args []string) {
				text, err := strconv.Unquote(`"` + args[1] + `"`)
				ts.Check(err)
				ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o644))
			},
			"exits": exits,
			"mcp":   talk,
			"visit": visit,
		},
	})
}

// severalAtOnce matches the scripts that are run under the race detector too.
var severalAtOnce = regexp.MustCompile(`/(agent|connector|embed|explore|notes|stopped|sync_at_once|watch)\.`)

// Every tool has its part in the conversation of its toolset.
func TestScripts_CallEveryTool(t *testing.T) {
	scripts := map[string][]string{tools.MemorySet: {"memory", "erase", "replay"}, tools.GraphSet: {"graph"}, tools.VaultSet: {"notes", "notes_write"}, tools.CodeSet: {"code_tools"}, tools.ConnectorSet: {"connector"}}
	for _, tool := range tools.All() {
		called := false
		for _, name := range scripts[tool.Toolset] {
			script, err := os.ReadFile(filepath.Join("testdata", "script", name+".txtar"))
			if err != nil {
				t.Fatal(err)
			}
			called = called || strings.Contains(string(script), "\n"+tool.Name+" {")
		}
		if !called {
			t.Errorf("%s is called in none of the scripts %v", tool.Name, scripts[tool.Toolset])
		}
	}
}

// exits is exec for a command that must fail in one way.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	err := ts.Exec(args[1], args[2:]...)
	code := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("%v exits with %d, want %s", args[1:], code, args[0])
	}
}

var replacements = []struct {
	what *regexp.Regexp
	by   string
}{
	{regexp.MustCompile(`\b[0-9a-f]{64}\b`), "HASH"},
	{regexp.MustCompile(`\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z`), "TIME"},
	{regexp.MustCompile(`"next":"[a-z_-]*[A-Z0-9][\w-]*"`), `"next":"CURSOR"`},
	{regexp.MustCompile(`\b(same|replaced|conflict|link|summarise|fading|expired|broken|secret)-[0-9a-f]{10}\b`), "$1-KEY"},
	{regexp.MustCompile(`"score":[0-9.e-]+`), `"score":SCORE`},
	{regexp.MustCompile(`"instructions":"(\\.|[^"\\])*"`), `"instructions":TEXT`},
	{regexp.MustCompile(`"version":"[^"]*","title"`), `"version":VERSION,"title"`},
}

// anID is a UUIDv7, or a short id: the last 8 characters of one, or the id of an edge that a place declares.
var anID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}|\b[0-9a-f]{8}\b|\ba[2-7a-z]{15}\b`)

// normalise replaces what differs from run to run. The first id becomes id-1,
// the next id-2; a short id is as its id. Today's date, and yesterday's in a test about midnight, is DAY.
func normalise(text string) string {
	ids := map[string]string{}
	text = anID.ReplaceAllStringFunc(text, func(id string) string {
		short := id[len(id)-8:]
		if ids[short] == "" {
			ids[short] = "id-" + strconv.Itoa(len(ids)+1)
		}
		return ids[short]
	})
	for _, r := range replacements {
		text = r.what.ReplaceAllString(text, r.by)
	}
	for _, ago := range []int{0, -1} {
		text = strings.ReplaceAll(text, time.Now().UTC().AddDate(0, 0, ago).Format(time.DateOnly), "DAY")
	}
	return clock.ReplaceAllString(text, "DAY")
}

var clock = regexp.MustCompile(`DAY \d\d:\d\d`)
