package db

import (
	"bytes"
	"compress/gzip"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the file of the release that is prepared")

// prepared is the release that is not tagged yet. Until it is, its schema is changed in place, and
// -update writes its file. After the tag it is "", and a file is never written again.
const prepared = "0.1.0"

const releasedFiles = "testdata/released"

// This build opens the store of each release. Its migrations lead to the schema of a new file and
// lose no data.
func TestAStoreOfEveryReleaseOpens(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing runs beside it, so that the race detector has nothing to see; make test runs it")
	}
	if *update && prepared != "" {
		writeReleased(t, prepared)
	}
	files, err := filepath.Glob(releasedFiles + "/*.db.gz")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files of releases: %v", err)
	}
	for _, file := range files {
		release := strings.TrimSuffix(filepath.Base(file), ".db.gz")
		t.Run(release, func(t *testing.T) {
			path := unpackReleased(t, file)
			was, before := originOf(t, path), rowsOf(t, path)
			if was.writtenBy != release {
				t.Errorf("it says that it was written by %q", was.writtenBy)
			}
			if was.version == current.version() && was.schemaHash != current.hash {
				if release == prepared {
					t.Fatalf("schema.sql has changed, and %s is not tagged yet: go test ./internal/db -run Release -update", release)
				}
				t.Fatalf("schema.sql has changed since %s: write a migration to version %d in migrate.go", release, was.version+1)
			}
			if err := openAt(t, path).Close(); err != nil {
				t.Fatal(err)
			}
			if copies := copiesOf(t, path); (len(copies) == 1) != (was.version < current.version()) {
				t.Errorf("the copies from before the migration: %v", copies)
			}
			fresh := filepath.Join(t.TempDir(), "fresh.db")
			if err := openAt(t, fresh).Close(); err != nil {
				t.Fatal(err)
			}
			sameSchema(t, fresh, path)
			for _, table := range []string{"memories", "edges", "sections", "mirrors", "files", "sites", "journal"} {
				if len(before[table]) == 0 {
					t.Errorf("the file has no row in %s", table)
				}
			}
			sameRows(t, before, rowsOf(t, path), []string{"store"})
			isWhole(t, path)
			d := openAt(t, path)
			defer d.Close()
			if _, err := d.Write(t.Context(), "me", Now(), S(`insert into memories (title) values ('written by this build')`)); err != nil {
				t.Error(err)
			}
		})
	}
}

// writeReleased writes the file of a release: a store of this build with a few rows in every
// table.
func writeReleased(t *testing.T, release string) {
	t.Helper()
	path := olderFile(t)
	if err := openAt(t, path).Close(); err != nil { // does the upkeep
		t.Fatal(err)
	}
	runShell(t, path, `update store set written_by = '`+release+`', tag = '00000000'; vacuum; pragma journal_mode = delete`)
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	zip, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := zip.Write(file); err != nil {
		t.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(releasedFiles, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(releasedFiles, release+".db.gz"), packed.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

func unpackReleased(t *testing.T, file string) (path string) {
	t.Helper()
	packed, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	zip, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(zip)
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "hence.db")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
