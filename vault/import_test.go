package vault_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/vault"
)

// sharedVaults returns the folders of the public vaults in ../shared. It skips the test if
// there are none.
func sharedVaults(t testing.TB) []string {
	t.Helper()
	dirs, err := filepath.Glob("../../shared/vaults/*")
	if err != nil || len(dirs) == 0 {
		t.Skip("../shared/vaults is not beside the project")
	}
	return dirs
}

// TestVaultsOfOthersImport imports every public vault of ../shared, twice.
func TestVaultsOfOthersImport(t *testing.T) {
	for _, dir := range sharedVaults(t) {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			i := vault.Importer{DB: dbtest.New(t), Caller: ref.Caller{Actor: "tester"}}
			first, err := i.Import(t.Context(), vault.ImportArgs{Dir: dir})
			if err != nil {
				t.Fatal(err)
			}
			if first.Added != first.Notes+first.Files || first.Notes == 0 {
				t.Errorf("added %d of %d notes and %d files", first.Added, first.Notes, first.Files)
			}
			text, _ := json.Marshal(first)
			t.Logf("%.600s", text)
			second, err := i.Import(t.Context(), vault.ImportArgs{Dir: dir})
			if err != nil {
				t.Fatal(err)
			}
			if second.HasChanged() {
				t.Errorf("the second import changed something: %+v", second)
			}
			if second.Links != first.Links || second.Edges != first.Edges || second.Dangling != first.Dangling {
				t.Errorf("the second import counts %+v, the first %+v", second, first)
			}
			if n := dbtest.Count(t, i.DB, `select count(*) from memories`); n != first.Added {
				t.Errorf("%d memories for %d files", n, first.Added)
			}
		})
	}
	_ = os.Stdout
}
