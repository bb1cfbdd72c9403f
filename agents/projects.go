package agents

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"hence/code/checkout"
)

// projects says to which project the files below a folder belong, as a tag. A folder of a project is
// named after the project's path, which cannot be read back: so the names of known paths are
// compared with it, and a file in it may say the path.
type projects struct {
	root, state string

	mu    sync.Mutex
	known map[string]string // names of folders → tags; nil: not read yet
}

func newProjects(root, state string) *projects { return &projects{root: root, state: state} }

// of returns the tag of a file's project, such as project/hence; "" if it belongs to none. A project that is
// not known is called as its folder is, so that its rules are not those of others.
func (p *projects) of(file string) string {
	parts := strings.Split(file, "/")
	if len(parts) < 4 || parts[2] != "memory" || parts[0] != "projects" && parts[0] != "tmp" {
		return ""
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known == nil {
		p.known = map[string]string{}
		for tree, project := range checkout.Trees(p.state) {
			p.known[encode(tree)], p.known[hashOf(tree)] = tag(project), tag(project)
		}
	}
	name := parts[1]
	if _, ok := p.known[name]; !ok {
		p.known[name] = cmp.Or(p.at(filepath.Join(p.root, parts[0], name)), tag(checkout.Tag(name)))
	}
	return p.known[name]
}

// own returns the tag of the project that the root is.
func (p *projects) own() string { return p.identify(p.root) }

// at returns the tag of the project whose path is written in a folder: by Gemini, or in a transcript
// of Claude Code.
func (p *projects) at(folder string) string {
	if text, err := os.ReadFile(filepath.Join(folder, ".project_root")); err == nil {
		return p.identify(strings.TrimSpace(string(text)))
	}
	transcripts, _ := filepath.Glob(filepath.Join(escape.ReplaceAllString(folder, `\$0`), "*.jsonl"))
	gone := "" // a folder that a session was in
	for _, file := range transcripts[:min(len(transcripts), maxTranscripts)] {
		dir := folderIn(file)
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return p.identify(dir)
		}
		gone = cmp.Or(gone, dir)
	}
	return p.identify(gone)
}

// maxTranscripts is how many transcripts of a project are asked for its folder.
const maxTranscripts = 20

var escape = regexp.MustCompile(`[\\*?\[]`)

// identify returns the tag of the project of a folder, by its name if it is gone.
func (p *projects) identify(folder string) string {
	if !filepath.IsAbs(folder) {
		return ""
	}
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return tag(checkout.Tag(filepath.Base(folder)))
	}
	i, _, err := checkout.Identify(context.Background(), p.state, folder)
	if err != nil {
		return ""
	}
	return tag(i.Name)
}

func tag(project string) string {
	if project == "" {
		return ""
	}
	return "project/" + project
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
		var line struct {
			Folder string `json:"cwd"`
		}
		if json.Unmarshal(text, &line) == nil && line.Folder != "" {
			return line.Folder
		}
		if err != nil {
			return ""
		}
	}
}

var notLetter = regexp.MustCompile(`[^A-Za-z0-9]`)

// encode returns the name that Claude Code gives to the folder of a project. Longer ones end in a
// hash, and are known by their transcripts alone.
func encode(tree string) string { return notLetter.ReplaceAllString(tree, "-") }

// hashOf returns the name that Gemini CLI gave to the folder of a project before it used slugs.
func hashOf(tree string) string {
	sum := sha256.Sum256([]byte(tree))
	return hex.EncodeToString(sum[:])
}
