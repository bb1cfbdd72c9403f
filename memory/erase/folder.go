package erase

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"hence/internal/fault"
	"hence/internal/lists"
	"hence/internal/ref"
	"hence/memory/exchange/team"
)

// fromFolder writes a team's folder again, without what was erased, and says what git keeps of it.
func (s Store) fromFolder(ctx context.Context, folder string, p plan) (said []string, err error) {
	scope, err := team.ReadScope(folder)
	if err != nil || scope == nil {
		return nil, errors.Join(err, fault.New(fault.NotFound, "it is not a team's folder any more; git and other clones may have its files"))
	}
	v := ref.View(s)
	v.Caller = ref.Caller{Actor: s.Caller.Actor, Origin: ref.Person, Namespace: scope.Namespace, Project: scope.Project}
	rest := []string{} // files that held the text, of those that stay
	for _, file := range filesBelow(folder) {
		if text, err := os.ReadFile(file); err == nil && p.Marks.Holds(text) {
			name, _ := filepath.Rel(folder, file)
			rest = append(rest, filepath.ToSlash(name))
		}
	}
	done, err := team.Sync(ctx, v, team.Args{Dir: folder, Project: scope.Project, First: true})
	if err != nil {
		return nil, err
	}
	rest = slices.DeleteFunc(rest, func(name string) bool { return slices.Contains(done.Removed, name) })
	for above := folder; ; above = filepath.Dir(above) {
		if _, err := os.Lstat(filepath.Join(above, ".git")); err == nil {
			below, _ := filepath.Rel(above, folder)
			inTree := func(name string) string {
				return " --path '" + strings.ReplaceAll(path.Join(filepath.ToSlash(below), name), "'", `'\''`) + "'"
			}
			keeps := "the history of git in " + above + " and its clones: "
			if len(done.Removed) > 0 {
				said = append(said, keeps+"git filter-repo --invert-paths"+lists.Join(done.Removed, "", inTree)+" there, then git push --force")
			}
			if len(rest) > 0 || len(done.Removed) == 0 {
				said = append(said, keeps+"git filter-repo --replace-text WORDS there, where the file WORDS has what was erased, then git push --force; it was in "+cmp.Or(strings.Join(rest, ", "), "the folder before, if at all"))
			}
			return said, nil
		}
		if above == filepath.Dir(above) {
			return nil, nil
		}
	}
}
