package agents

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"hence/code/checkout"
	"hence/internal/db"
	"hence/internal/lists"
	"hence/internal/pattern"
	"hence/internal/ref"
)

// projects says to which project the files below a folder belong, as a tag. A folder of a project is
// named after the project's path, which cannot be read back: so a file in it may say the path, or else
// the names of known paths are compared with it.
type projects struct {
	root, state string

	mu      sync.Mutex
	trees   map[string]string // working trees → projects; nil: not read yet
	encoded map[string]string // names of their folders → projects; "" where several trees have one name
	known   map[string]string // names of folders → tags
}

// hold takes the lock, and reads the known working trees once.
func (p *projects) hold() (release func()) {
	p.mu.Lock()
	if p.trees != nil {
		return p.mu.Unlock
	}
	p.trees, p.encoded, p.known = checkout.Trees(p.state), map[string]string{}, map[string]string{}
	for tree, project := range p.trees { // a hash is the name that Gemini CLI gave before it used slugs
		for _, name := range []string{encode(tree), db.Hash(tree)} {
			if other, ok := p.encoded[name]; ok && other != project {
				p.encoded[name] = ""
				continue
			}
			p.encoded[name] = project
		}
	}
	return p.mu.Unlock
}

// of returns the tag of a file's project, such as project/hence; "" if it belongs to none. A project that is
// not known is called as its folder is, after a hyphen, so that its rules are not those of others.
func (p *projects) of(file string) string {
	parts := strings.Split(file, "/")
	if len(parts) < 4 || parts[2] != "memory" || parts[0] != "projects" && parts[0] != "tmp" {
		return ""
	}
	defer p.hold()()
	name := parts[1]
	if _, ok := p.known[name]; !ok {
		p.known[name] = cmp.Or(p.at(filepath.Join(p.root, parts[0], name)), tag(p.encoded[name]), p.one(p.subfolders(name)), tag("-"+checkout.Tag(parts[0]+"-"+name)))
	}
	return p.known[name]
}

// named returns the tag of the one project in which all the folders that a text of Codex names are; "" for none.
func (p *projects) named(text string) (project string) {
	defer p.hold()()
	return p.one(lists.Map(folders().FindAllStringSubmatch(text, -1), func(at []string) string { return strings.TrimSpace(at[1]) }))
}

// one returns the tag of the one project in which all the folders are; "" for none.
func (p *projects) one(folders []string) (project string) {
	for _, folder := range folders {
		one := p.identify(folder)
		if one == "" || project != "" && one != project {
			return ""
		}
		project = one
	}
	return project
}

// subfolders returns the folders below known working trees, and below what lies beside these, that a name may stand for.
func (p *projects) subfolders(name string) (found []string) {
	for tree := range p.trees {
		if strings.HasPrefix(name, encode(tree)+"-") {
			found = append(found, called(filepath.Dir(tree), name)...)
		}
	}
	return found
}

// called returns the folders below one to which Claude Code gives a name. It looks only into those whose own name begins it.
func called(dir, name string) (found []string) {
	all, _ := os.ReadDir(dir) // one that nobody may list says nothing
	for _, e := range all {
		switch at := filepath.Join(dir, e.Name()); {
		case e.IsDir() && encode(at) == name:
			found = append(found, at)
		case e.IsDir() && strings.HasPrefix(name, encode(at)+"-"):
			found = append(found, called(at, name)...)
		}
	}
	return found
}

// folders matches the folder of a session in Codex's memories.
var folders = pattern.Lazy(`\bcwd[=:]([^;,)\n]+)`)

// own returns the tag of the project that the root is.
func (p *projects) own() string {
	defer p.hold()()
	return p.identify(p.root)
}

// at returns the tag of the project whose path is written in a folder: by Gemini, or in a transcript
// of Claude Code.
func (p *projects) at(folder string) (project string) {
	if text, err := os.ReadFile(filepath.Join(folder, ".project_root")); err == nil {
		return p.identify(strings.TrimSpace(string(text)))
	}
	if text, err := os.ReadFile(filepath.Join(p.root, "projects.json")); err == nil { // Gemini's
		var slugs struct{ Projects map[string]string }
		_ = json.Unmarshal(text, &slugs) // of another form: it says nothing
		for path, name := range slugs.Projects {
			if name == filepath.Base(folder) {
				return p.identify(path)
			}
		}
	}
	transcripts, _ := filepath.Glob(filepath.Join(escape().ReplaceAllString(folder, `\$0`), "*.jsonl"))
	for _, file := range transcripts[:min(len(transcripts), maxTranscripts)] {
		if project = p.identify(folderIn(file)); project != "" {
			return project
		}
	}
	return ""
}

// maxTranscripts is how many transcripts of a project are asked for its folder.
const maxTranscripts = 20

var escape = pattern.Lazy(`[\\*?\[]`)

// identify returns the tag of the project of a folder. If the folder is gone, only a known working tree
// says it.
func (p *projects) identify(folder string) string {
	if !filepath.IsAbs(folder) {
		return ""
	}
	if isThere(folder) {
		i, _, err := checkout.Identify(context.Background(), p.state, folder)
		if err != nil {
			return ""
		}
		return tag(i.Name)
	}
	for folder != filepath.Dir(folder) {
		if project := p.trees[folder]; project != "" {
			return tag(project)
		}
		folder = filepath.Dir(folder)
	}
	return ""
}

func tag(project string) string {
	if project == "" {
		return ""
	}
	return ref.ProjectPrefix + project
}

// folderIn returns the folder of a session by the first lines of its transcript; "" if they do not
// say it.
func folderIn(transcript string) string {
	const maxRead = 256 << 10
	f, err := os.Open(transcript)
	if err != nil {
		return ""
	}
	defer f.Close()
	lines := bufio.NewReader(io.LimitReader(f, maxRead))
	for {
		text, err := lines.ReadBytes('\n')
		var line struct{ Cwd string }
		if json.Unmarshal(text, &line) == nil && line.Cwd != "" {
			return line.Cwd
		}
		if err != nil {
			return ""
		}
	}
}

var notLetter = pattern.Lazy(`[^A-Za-z0-9]`)

// encode returns the name that Claude Code gives to the folder of a project. Longer ones end in a
// hash, and are known by their transcripts alone.
func encode(tree string) string { return notLetter().ReplaceAllString(tree, "-") }
