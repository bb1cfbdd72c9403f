package checkout

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"hence/internal/fault"
	"hence/internal/pattern"
	"hence/internal/permit"
)

// Identity is what tells a repository from others, and the project that it is.
type Identity struct {
	Common string `json:"common"`           // its git common directory; without git the folder
	First  string `json:"first,omitempty"`  // hash of its first commit; "": none yet, or not known
	Origin string `json:"origin,omitempty"` // see originOf
	Name   string `json:"name"`             // of the project, in the form of a tag
	Shares string `json:"shares,omitempty"` // project whose memories it reads too: its own from before
}

// records are the repositories that a user works in, in a file of the state directory: what is
// asked of git is asked once.
type records struct {
	Projects []Identity `json:"projects"`
}

const (
	recordsFile = "projects.json"
	gitTime     = 3 * time.Second // for the first commit of a repository
)

// Identify returns the identity of the repository that a folder is in, as it was
// recorded in a state directory. It records a new one: a clone, with the first commit and the
// origin of another, is the same project; any other is its own, called by its folder. note says
// so where a repository has the first commit or the name of another.
//
// Without git a folder is its own project, or of the recorded one around it; the user's home is
// none. A clone without all of its history is told by its origin. Until the first commit of a
// record is known it is looked at again: a folder becomes a repository, which may turn out to be a
// clone of another. Then it is that project, and reads what it stored before.
func Identify(ctx context.Context, state, folder string) (i Identity, note string, err error) {
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		folder = real
	}
	r, err := read(state)
	if err != nil {
		return i, "", err
	}
	common, isGit := enclosing(folder)
	home, _ := os.UserHomeDir()
	if !isGit && (folder == realPath(home) || folder == filepath.Dir(folder)) {
		return i, "", nil
	}
	var before Identity
	at := r.recorded(folder, common)
	if at >= 0 {
		before = r.Projects[at]
	}
	if i = before; i.First != "" || at >= 0 && !isGit {
		return i, "", nil
	}
	if i.Common = folder; isGit {
		i.Common, i.First, i.Origin = common, firstCommit(ctx, common), originOf(common)
	}
	switch {
	case at >= 0 && i == before:
		return i, "", nil
	case at >= 0:
		r.Projects = slices.Delete(r.Projects, at, at+1)
	}
	if before.Common != common && before.Common != treeOf(common) {
		i.Name = "" // a folder within it
	}
	if note = r.name(&i); before.Name != "" && i.Name != before.Name {
		i.Shares = before.Name
	}
	r.Projects = append(r.Projects, i)
	return i, note, r.write(state)
}

// recorded returns the index of the record of a repository, by its common directory, or of the
// folder that was a project before it; without a repository of the nearest folder around; -1 for
// none.
func (r records) recorded(folder, common string) int {
	if common == "" {
		for at := r.find(folder); ; at = r.find(folder) {
			if at >= 0 || folder == filepath.Dir(folder) {
				return at
			}
			folder = filepath.Dir(folder)
		}
	}
	if at := r.find(common); at >= 0 {
		return at
	}
	return slices.IndexFunc(r.Projects, func(i Identity) bool {
		below, err := filepath.Rel(treeOf(common), i.Common)
		return err == nil && filepath.IsLocal(below) && i.First+i.Origin == "" && !isRepository(i.Common)
	})
}

// Same reports whether two folders are the same place in working trees of one repository: two
// worktrees, or clones of one origin.
func Same(ctx context.Context, state, folder, other string) bool {
	rootA, _ := Tree(folder)
	rootB, _ := Tree(other)
	belowA, errA := filepath.Rel(rootA, folder)
	belowB, errB := filepath.Rel(rootB, other)
	if rootA == "" || rootB == "" || errA != nil || errB != nil || belowA != belowB {
		return false
	}
	commonA, okA := enclosing(folder)
	commonB, okB := enclosing(other)
	if !okA || !okB || commonA == commonB {
		return okA && okB
	}
	a, _, errA := Identify(ctx, state, folder)
	b, _, errB := Identify(ctx, state, other)
	return errA == nil && errB == nil && a.Name == b.Name && a.isCloneOf(b)
}

func read(state string) (r records, err error) {
	raw, err := os.ReadFile(filepath.Join(state, recordsFile))
	if state == "" || errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err == nil {
		err = json.Unmarshal(raw, &r)
	}
	if err != nil {
		return r, fault.Wrap(fault.Unavailable, err, "the record of projects cannot be read; mend or remove %s", filepath.Join(state, recordsFile))
	}
	return r, nil
}

func (r records) write(state string) error {
	if state == "" {
		return nil
	}
	raw, err := json.MarshalIndent(r, "", " ")
	if err == nil {
		err = os.MkdirAll(state, 0o700)
	}
	if err == nil {
		err = permit.Replace(filepath.Join(state, recordsFile), append(raw, '\n'), 0o600)
	}
	if err != nil {
		return fault.Wrap(fault.Unavailable, err, "the project cannot be recorded in %s", state)
	}
	return nil
}

func (r records) find(common string) int {
	return slices.IndexFunc(r.Projects, func(i Identity) bool { return i.Common == common })
}

// isCloneOf reports whether two repositories are clones of one: they have one origin, and one
// first commit if it is known of both.
func (i Identity) isCloneOf(other Identity) bool {
	sameOrigin := other.Origin == i.Origin || other.Origin == i.Common || other.Common == i.Origin
	if i.First == "" || other.First == "" {
		return sameOrigin && i.Origin+other.Origin != ""
	}
	return sameOrigin && i.First == other.First
}

// name gives an identity its name, and returns what there is to say about that. It keeps the name
// that it has, unless it is a clone.
func (r records) name(i *Identity) (note string) {
	var cousin Identity
	for _, other := range r.Projects {
		if i.isCloneOf(other) {
			i.Name, i.Shares = other.Name, other.Shares
			return ""
		}
		if i.First != "" && other.First == i.First {
			cousin = other
		}
	}
	label := cmp.Or(i.Name, labelOf(i.Common))
	i.Name = label
	isTaken := func() bool {
		return slices.ContainsFunc(r.Projects, func(other Identity) bool { return strings.EqualFold(other.Name, i.Name) })
	}
	for n := 2; isTaken(); n++ {
		i.Name = label + "-" + strconv.Itoa(n)
		if short := 7; n == 2 && len(i.First) > short {
			i.Name = label + "-" + i.First[:short]
		}
	}
	switch {
	case cousin.Name != "":
		note = fmt.Sprintf("%s begins with the commit of the project %s, and has another origin: it is a project of its own, %s", treeOf(i.Common), cousin.Name, i.Name)
	case i.Name != label:
		note = fmt.Sprintf("another repository is the project %s already; %s is the project %s", label, treeOf(i.Common), i.Name)
	}
	return note
}

// enclosing returns the common directory of the repository that a folder is in.
func enclosing(folder string) (common string, ok bool) {
	for {
		if common, ok := Common(filepath.Join(folder, ".git")); ok {
			return realPath(common), true
		}
		if isRepository(folder) { // bare
			return realPath(folder), true
		}
		above := filepath.Dir(folder)
		if above == folder {
			return "", false
		}
		folder = above
	}
}

func realPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// treeOf returns the working tree of a common directory, or the directory itself if it is bare.
func treeOf(common string) string {
	if filepath.Base(common) == ".git" {
		return filepath.Dir(common)
	}
	return common
}

// firstCommit returns the hash of the first commit of what is checked out; "" if there is none, if
// the history is cut off, or if git does not say so in time.
func firstCommit(ctx context.Context, common string) string {
	if _, err := os.Stat(filepath.Join(common, "shallow")); err == nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, gitTime)
	defer cancel()
	output, err := Git(ctx, common, nil, "rev-list", "--first-parent", "--max-parents=0", "HEAD", "--")
	if hash := strings.TrimSpace(string(output)); err == nil && commitHash().MatchString(hash) {
		return hash
	}
	return ""
}

var (
	commitHash   = pattern.Lazy(`^([0-9a-f]{40}|[0-9a-f]{64})$`)
	originURL    = pattern.Lazy(`(?ims)^\s*\[remote\s+"origin"\][^\[]*?^\s*url\s*=\s*"?([^"\r\n]+?)"?\s*$`)
	likeSecureCP = pattern.Lazy(`^(?:[^@/:]+@)?([^/:]{2,}):(.+)$`) // git@example.com:path, as scp writes it
)

// originOf returns the address that a repository was cloned from, without scheme and user, so that
// the ways to write one address are the same; "" for none. That of a clone on this machine is
// the origin of what was cloned, or that one's common directory.
func originOf(common string) string {
	text, err := os.ReadFile(filepath.Join(common, "config"))
	found := originURL().FindSubmatch(text)
	if err != nil || found == nil {
		return ""
	}
	address := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSpace(string(found[1])), "/"), ".git")
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		return strings.ToLower(u.Hostname()) + "/" + strings.Trim(u.Path, "/")
	}
	local, isFile := strings.CutPrefix(string(found[1]), "file://")
	if parts := likeSecureCP().FindStringSubmatch(address); parts != nil && !isFile {
		return strings.ToLower(parts[1]) + "/" + strings.Trim(parts[2], "/")
	}
	source, ok := enclosing(Resolve(treeOf(common), local))
	if !ok || source == common {
		return address
	}
	if beyond := originOf(source); beyond != "" {
		return beyond
	}
	return source
}

// Trees returns the working trees of the projects that are recorded in a state directory, with
// their other worktrees, and the project of each.
func Trees(state string) map[string]string {
	trees := map[string]string{}
	r, _ := read(state) // without records none is known
	for _, i := range r.Projects {
		trees[treeOf(i.Common)] = i.Name
		links, _ := filepath.Glob(filepath.Join(i.Common, "worktrees", "*", "gitdir"))
		for _, link := range links {
			if text, err := os.ReadFile(link); err == nil {
				trees[filepath.Dir(Resolve(filepath.Dir(link), string(text)))] = i.Name
			}
		}
	}
	return trees
}
