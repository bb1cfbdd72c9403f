package db_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
)

// writerOf is the variable with which TestWhatIsAcknowledgedIsInTheFileOfThePath starts this program again.
const writerOf = "HENCE_TEST_WRITER_OF"

// A write that is acknowledged is in the file that the path names, or it is refused, whatever was
// done to the files of a store in the meantime.
func TestWhatIsAcknowledgedIsInTheFileOfThePath(t *testing.T) {
	if path := os.Getenv(writerOf); path != "" {
		actAsWriter(t, path)
		return
	}
	dbtest.SkipUnderRace(t)
	if runtime.GOOS == "windows" {
		t.Skip("files that are open cannot be removed")
	}
	every := []string{"", "-wal", "-shm"}
	for name, c := range map[string]struct {
		between func(s *scene)
		refused bool     // the second write of the server
		kept    []string // in the file of the path at the end; nil: there is none
	}{
		"NothingIsDone":               {func(s *scene) {}, false, []string{"first", "second"}},
		"AllAreRemoved":               {func(s *scene) { s.remove(every...) }, true, nil},
		"AllAreMovedAway":             {func(s *scene) { s.moveAway(every...) }, true, nil},
		"TheFileIsMovedAway":          {func(s *scene) { s.moveAway("") }, true, nil},
		"TheFolderIsRemoved":          {func(s *scene) { s.must(os.RemoveAll(filepath.Dir(s.path))) }, true, nil},
		"TheFolderIsMoved":            {func(s *scene) { s.must(os.Rename(filepath.Dir(s.path), filepath.Dir(s.path)+"-moved")) }, true, nil},
		"MovedAwayAndBack":            {func(s *scene) { s.moveAway(every...); s.write("elsewhere", true); s.moveBack(every...) }, false, []string{"first", "second"}},
		"RemovedAndMadeAgain":         {func(s *scene) { s.remove(every...); s.other("another") }, true, []string{"another"}},
		"TheIndexIsRemoved":           {func(s *scene) { s.remove("-shm") }, false, []string{"first", "second"}},
		"TheIndexIsRemovedAndWritten": {func(s *scene) { s.remove("-shm"); s.other("another") }, false, []string{"another", "first", "second"}},
		"TheLogIsRemoved":             {func(s *scene) { s.remove("-wal") }, false, []string{"first", "second"}},
		"LogAndIndexAreRemoved":       {func(s *scene) { s.remove("-wal", "-shm") }, false, []string{"first", "second"}},
		"LogAndIndexAreRemovedTwice": {func(s *scene) {
			s.remove("-wal", "-shm")
			s.write("between", false)
			s.remove("-wal", "-shm")
		}, false, []string{"between", "first", "second"}},
		"LogAndIndexAreRemovedAndWritten": {func(s *scene) {
			s.checkpoint()
			s.write("only in the log", false)
			s.remove("-wal", "-shm")
			s.other("another")
		}, true, []string{"another", "base", "first"}},
		"AnEmptyLogIsRemovedAndWritten": {func(s *scene) {
			s.checkpoint()
			s.remove("-wal", "-shm")
			s.other("another")
		}, false, []string{"another", "base", "first", "second"}},
		"ReplacedByACopyOfItself": {func(s *scene) { s.copyTo("x"); s.must(os.Rename(s.path+"x", s.path)) }, false, []string{"first", "second"}},
		"ReplacedByACompleteBackup": {func(s *scene) {
			s.must(s.server.Backup(s.t.Context(), s.path+"x"))
			s.must(os.Rename(s.path+"x", s.path))
		}, false, []string{"first", "second"}},
		"ReplacedByAnOlderBackup": {func(s *scene) {
			s.must(s.server.Backup(s.t.Context(), s.path+"x"))
			s.write("later", false)
			s.must(os.Rename(s.path+"x", s.path))
		}, true, []string{"first"}},
		"ReplacedByAnotherStore": {func(s *scene) { s.make("x"); s.must(os.Rename(s.path+"x", s.path)) }, true, []string{"stranger"}},
		"ReplacedByNoStore": {func(s *scene) {
			s.must(os.WriteFile(s.path+"x", []byte("text"), 0o600))
			s.must(os.Rename(s.path+"x", s.path))
		}, true, nil},
		"MovedAwayAndAnotherHere": {func(s *scene) { s.make("x"); s.moveAway(""); s.must(os.Rename(s.path+"x", s.path)) }, true, []string{"stranger"}},
		"AnIdleServerFollows": {func(s *scene) {
			idle := s.start()
			idle.write("of the idle one")
			s.remove("-wal", "-shm")
			s.write("between", false)
			idle.write("of the idle one again")
			idle.end()
		}, false, []string{"between", "first", "of the idle one", "of the idle one again", "second"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t)
			s.write("first", false)
			c.between(s)
			s.write("second", c.refused)
			s.must(s.server.Close())
			if c.kept == nil {
				if d, err := db.Open(t.Context(), s.path, db.Options{ReadOnly: true}); err == nil {
					d.Close()
					t.Error("there is a store at the path")
				}
				return
			}
			if got := s.titles(s.path); !slices.Equal(got, c.kept) {
				t.Errorf("the file has %q, want %q", got, c.kept)
			}
		})
	}
}

// scene is a store that is open in this process, the server.
type scene struct {
	t      *testing.T
	path   string
	server *db.DB
}

func newScene(t *testing.T) *scene {
	folder := filepath.Join(t.TempDir(), "store")
	s := &scene{t: t, path: filepath.Join(folder, "hence.db")}
	var err error
	if s.server, err = db.Open(t.Context(), s.path, db.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.server.Close() })
	return s
}

func (s *scene) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// write writes with the server, and reads there what it wrote.
func (s *scene) write(title string, refused bool) {
	s.t.Helper()
	_, err := s.server.Write(s.t.Context(), "server", db.Now(), insertNamed(title, title, title))
	if refused {
		if fault.CodeOf(err) != fault.Unavailable || !strings.Contains(err.Error(), fmt.Sprintf("this process (%d)", os.Getpid())) {
			s.t.Errorf("write %q: %v, want unavailable, and the process that has the data", title, err)
		}
		return
	}
	s.must(err)
	if _, ok, err := db.One[string](s.t.Context(), s.server, `select title from memories where id = ?`, title); err != nil || !ok {
		s.t.Errorf("the server does not read %q: %v", title, err)
	}
}

func (s *scene) checkpoint() {
	s.t.Helper()
	s.write("base", false)
	w := s.start()
	w.write("checkpoint")
	w.end()
}

func (s *scene) remove(suffixes ...string) {
	for _, suffix := range suffixes {
		s.must(os.Remove(s.path + suffix))
	}
}

func (s *scene) moveAway(suffixes ...string) { s.move(s.path, s.path+".away", suffixes) }
func (s *scene) moveBack(suffixes ...string) { s.move(s.path+".away", s.path, suffixes) }

func (s *scene) move(from, to string, suffixes []string) {
	for _, suffix := range suffixes {
		s.must(os.Rename(from+suffix, to+suffix))
	}
}

func (s *scene) copyTo(suffix string) {
	// Another process copies: to close the file here would end the locks of this process.
	s.must(exec.Command("cp", s.path, s.path+suffix).Run())
}

// make makes another store beside this one.
func (s *scene) make(suffix string) {
	w := startWriter(s.t, s.path+suffix)
	w.write("stranger")
	w.end()
}

// other has another process write, and end.
func (s *scene) other(title string) {
	w := s.start()
	w.write(title)
	w.end()
}

func (s *scene) titles(path string) []string {
	s.t.Helper()
	d, err := db.Open(s.t.Context(), path, db.Options{})
	s.must(err)
	defer d.Close()
	titles, err := db.Select(s.t.Context(), d, db.Value[string], `select title from memories order by title`)
	s.must(err)
	problems, err := d.Check(s.t.Context())
	if err != nil || len(problems) > 0 {
		s.t.Errorf("the file is damaged: %q, %v", problems, err)
	}
	return titles
}

// otherWriter is another process that writes to a store.
type otherWriter struct {
	t       *testing.T
	program *exec.Cmd
	in      interface {
		Write([]byte) (int, error)
		Close() error
	}
	out *bufio.Reader
}

func (s *scene) start() *otherWriter { return startWriter(s.t, s.path) }

func startWriter(t *testing.T, path string) *otherWriter {
	t.Helper()
	w := &otherWriter{t: t, program: exec.Command(os.Args[0], "-test.run=^TestWhatIsAcknowledgedIsInTheFileOfThePath$")}
	w.program.Env = append(os.Environ(), writerOf+"="+path)
	w.program.Stderr = os.Stderr
	in, err := w.program.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := w.program.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.program.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.program.Process.Kill() })
	w.in, w.out = in, bufio.NewReader(out)
	return w
}

// write has the process write a memory, or empty the log into the file.
func (w *otherWriter) write(line string) {
	w.t.Helper()
	fmt.Fprintln(w.in, line)
	if said, err := w.out.ReadString('\n'); err != nil || said != "done\n" {
		w.t.Fatalf("another process: %q, %v", said, err)
	}
}

func (w *otherWriter) end() {
	w.t.Helper()
	_ = w.in.Close()
	_ = w.program.Wait()
}

func actAsWriter(t *testing.T, path string) {
	d, err := db.Open(t.Context(), path, db.Options{})
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		if lines.Text() == "checkpoint" && err == nil {
			_, _, err = d.Vacuum(t.Context())
		} else if err == nil {
			_, err = d.Write(t.Context(), "other", db.Now(), insertNamed(lines.Text(), lines.Text(), lines.Text()))
		}
		if err != nil {
			fmt.Println(err)
		} else {
			fmt.Println("done")
		}
	}
	if err := errors.Join(err, d.Close()); err != nil {
		t.Fatal(err)
	}
}
