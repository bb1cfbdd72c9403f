package hence_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A random test that draws other values in each run fails by chance.
func TestRandomTestsAreRepeatable(t *testing.T) {
	random, repeatable := map[string]bool{}, map[string]bool{} // by folder
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".") && d.Name() != ".") {
			return filepath.SkipDir
		}
		if err != nil || !strings.HasSuffix(file, "_test.go") {
			return err
		}
		text, err := os.ReadFile(file)
		folder := filepath.Dir(file)
		random[folder] = random[folder] || bytes.Contains(text, []byte("\t\"pgregory.net/rapid\"\n"))
		repeatable[folder] = repeatable[folder] || bytes.Contains(text, []byte(house+"internal/repeattest"))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for folder, is := range random {
		if is && !repeatable[folder] {
			t.Errorf("%s has random tests; import %sinternal/repeattest there", folder, house)
		}
	}
}
