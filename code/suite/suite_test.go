package suite

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/internal/fault"
)

const operation = "code_test"

func goSuite() Suite {
	return Suite{Name: "go", Arguments: []string{"go", "test", "-run={run}", "./{package:...}"}, TimeoutS: 60}
}

func TestCheck(t *testing.T) {
	for name, c := range map[string]struct {
		suite Suite
		says  string
	}{
		"Right":             {goSuite(), ""},
		"NoName":            {Suite{Arguments: []string{"go"}, TimeoutS: 60}, "not a name of a suite"},
		"NameIsAPath":       {Suite{Name: "../go", Arguments: []string{"go"}, TimeoutS: 60}, "not a name of a suite"},
		"NameIsAnOption":    {Suite{Name: "-go", Arguments: []string{"go"}, TimeoutS: 60}, "not a name of a suite"},
		"NoProgram":         {Suite{Name: "go", TimeoutS: 60}, "has no program"},
		"BlankProgram":      {Suite{Name: "go", Arguments: []string{" "}, TimeoutS: 60}, "has no program"},
		"ProgramIsAValue":   {Suite{Name: "go", Arguments: []string{"{run}"}, TimeoutS: 60}, "a caller may not choose it"},
		"ProgramHasAValue":  {Suite{Name: "go", Arguments: []string{"bin/{package:x}"}, TimeoutS: 60}, "a caller may not choose it"},
		"NUL":               {Suite{Name: "go", Arguments: []string{"go", "a\x00b"}, TimeoutS: 60}, "NUL"},
		"NoTime":            {Suite{Name: "go", Arguments: []string{"go"}}, "give 1 to"},
		"MoreThanAnHour":    {Suite{Name: "go", Arguments: []string{"go"}, TimeoutS: 7200}, "give 1 to"},
		"TooManyArguments":  {Suite{Name: "go", Arguments: make([]string, 101), TimeoutS: 60}, "no program"},
		"AHundredArguments": {Suite{Name: "go", Arguments: append([]string{"go"}, make([]string, 100)...), TimeoutS: 60}, "at most 100"},
	} {
		t.Run(name, func(t *testing.T) {
			err := c.suite.Check("code allow")
			if c.says == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if fault.CodeOf(err) != fault.InvalidArgument || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v, want one that says %q", err, c.says)
			}
		})
	}
}

func TestFill(t *testing.T) {
	for name, c := range map[string]struct {
		values Values
		want   []string
		says   string
	}{
		"NoValues":            {Values{}, []string{"go", "test", "./..."}, ""},
		"BothValues":          {Values{Package: "internal/db", Run: "TestOpen"}, []string{"go", "test", "-run=TestOpen", "./internal/db"}, ""},
		"BlanksStayInOne":     {Values{Run: "a b; rm -rf / && $(x) `y` \"z\""}, []string{"go", "test", "-run=a b; rm -rf / && $(x) `y` \"z\"", "./..."}, ""},
		"AValueIsNotFilled":   {Values{Run: "{package}"}, []string{"go", "test", "-run={package}", "./..."}, ""},
		"AnOption":            {Values{Run: "-exec=sh"}, nil, "would be an option"},
		"AnOptionAfterBlanks": {Values{Package: "  -toolexec=sh"}, nil, "would be an option"},
		"ALine":               {Values{Run: "a\nb"}, nil, "not text"},
		"NUL":                 {Values{Run: "a\x00b"}, nil, "not text"},
		"NotUTF8":             {Values{Run: "\xff"}, nil, "not text"},
		"TooLong":             {Values{Run: strings.Repeat("a", 1001)}, nil, "at most 1000"},
		"OutOfTheRepository":  {Values{Package: "a/../../b"}, nil, "leads out"},
		"Parent":              {Values{Package: ".."}, nil, "leads out"},
		"ParentByBackslash":   {Values{Package: `a\..\..\b`}, nil, "leads out"},
		"Absolute":            {Values{Package: "/etc"}, nil, "absolute"},
		"DotsWithinAName":     {Values{Package: "a..b/..."}, []string{"go", "test", "./a..b/..."}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := goSuite().fill(operation, c.values)
			if c.says != "" {
				if fault.CodeOf(err) != fault.InvalidArgument || !strings.Contains(err.Error(), c.says) {
					t.Errorf("%v, want one that says %q", err, c.says)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	plain := Suite{Name: "all", Arguments: []string{"make", "test"}, TimeoutS: 60}
	if _, err := plain.fill(operation, Values{Run: "x"}); fault.CodeOf(err) != fault.InvalidArgument || !strings.Contains(err.Error(), "has no {run}") {
		t.Errorf("a value that the suite does not take: %v", err)
	}
}

func TestEnvironmentIsShort(t *testing.T) {
	s := Suite{Environment: []string{"GOFLAGS"}}
	got := s.environment([]string{"PATH=/bin", "HOME=/root", "GOFLAGS=-v", "HENCE_TOKEN=secret", "AWS_SECRET_ACCESS_KEY=secret", "PATHS=x"})
	if diff := cmp.Diff([]string{"NO_COLOR=1", "PATH=/bin", "HOME=/root", "GOFLAGS=-v"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCaptureKeepsBothEnds(t *testing.T) {
	for name, c := range map[string]struct {
		output    string
		truncated bool
	}{
		"Nothing":        {"", false},
		"Short":          {"ok\n", false},
		"JustFits":       {strings.Repeat("x", 2*keptBytes), false},
		"OneMore":        {strings.Repeat("x", 2*keptBytes+1), true},
		"ManyCharacters": {strings.Repeat("…", 2*keptBytes), true},
	} {
		t.Run(name, func(t *testing.T) {
			for _, piece := range []int{1, 7, 1 << 10, 64 << 10} {
				got := &capture{failures: []string{}}
				for rest := c.output; rest != ""; rest = rest[min(piece, len(rest)):] {
					fmt.Fprint(got, rest[:min(piece, len(rest))])
				}
				text, truncated := got.text()
				if truncated != c.truncated {
					t.Fatalf("in pieces of %d: truncated %v, want %v", piece, truncated, c.truncated)
				}
				if !truncated && text != c.output {
					t.Fatalf("in pieces of %d, %d bytes are %d", piece, len(c.output), len(text))
				}
				head, tail, _ := strings.Cut(text, " bytes left out …\n")
				if truncated && (!strings.HasPrefix(c.output, head[:strings.LastIndex(head, "\n")]) || !strings.HasSuffix(c.output, tail) || len(text) > 2*keptBytes+100) {
					t.Fatalf("in pieces of %d, the ends of %d bytes are other ones: %.40q … %.40q", piece, len(c.output), text, tail)
				}
			}
		})
	}
}

func TestFailuresAreNamed(t *testing.T) {
	output := strings.Join([]string{
		"=== RUN   TestA", "    --- FAIL: TestA/deep (0.00s)", "--- FAIL: TestA (0.01s)", "FAIL\thence/x\t0.1s",
		"FAILED tests/test_a.py::test_b[x] - assert 1 == 2", "FAILED tests/test_a.py::test_c",
		"test tests::works ... FAILED", "test tests::fine ... ok",
		"not ok 3 - adds", "ok 4 - subtracts",
		"  ● sum › adds", "  ● sum › adds",
		" FAIL  src/a.test.ts > adds", "[ERROR]   ATest.works:12 expected",
	}, "\n")
	c := &capture{failures: []string{}}
	fmt.Fprint(c, output)
	c.endLine()
	want := []string{
		"TestA/deep", "TestA", "tests/test_a.py::test_b[x]", "tests/test_a.py::test_c", "tests::works", "adds", "sum › adds", "src/a.test.ts > adds", "ATest.works:12",
	}
	if diff := cmp.Diff(want, c.failures); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func FuzzFill(f *testing.F) {
	for _, value := range []string{"", "a", "-a", " -a", "..", "a/..", "{run}", "{package:x}", "\x00", "é"} {
		f.Add(value, value)
	}
	f.Fuzz(func(t *testing.T, in, run string) {
		got, err := goSuite().fill(operation, Values{Package: in, Run: run})
		if err != nil {
			if fault.CodeOf(err) != fault.InvalidArgument {
				t.Error(err)
			}
			return
		}
		if len(got) > 4 || got[0] != "go" || got[1] != "test" {
			t.Fatalf("%q", got)
		}
		for _, argument := range got[2:] {
			if !strings.HasPrefix(argument, "-run=") && !strings.HasPrefix(argument, "./") {
				t.Errorf("%q is an argument that the person did not allow", argument)
			}
		}
		if last := filepath.Clean(strings.TrimPrefix(got[len(got)-1], "./")); last == ".." || strings.HasPrefix(last, ".."+string(os.PathSeparator)) {
			t.Errorf("%q leads out", got[len(got)-1])
		}
	})
}
