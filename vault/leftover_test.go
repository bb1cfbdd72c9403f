package vault

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hence/internal/db/dbtest"
	"hence/memory/doctor"
	"hence/projection/folder"
)

// The doctor recognizes the temporary name of a note that is being written.
func TestTheDoctorFindsANoteThatWasNotFinished(t *testing.T) {
	d, dir := dbtest.New(t), t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := (Importer{DB: d}).Import(t.Context(), ImportArgs{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	temp := filepath.Join(dir, filepath.FromSlash(folder.TempName("sub/n.md")))
	if err := os.WriteFile(temp, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	long := time.Now().Add(-2 * time.Hour)
	if err := os.Chtimes(temp, long, long); err != nil {
		t.Fatal(err)
	}
	report, err := doctor.Doctor{DB: d}.Examine(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range report.Findings {
		if f.Check == "unfinished files" && strings.Contains(strings.Join(f.Problems, "\n"), temp) {
			return
		}
	}
	t.Errorf("nothing names %s: %+v", temp, report.Findings)
}
