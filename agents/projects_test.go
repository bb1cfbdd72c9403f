package agents_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"hence/code/checkout"
)

// TestAProjectIsKnownByItsPathAndByTranscripts looks both ways, and keeps the ids of a folder that gets
// another name.
func TestAProjectIsKnownByItsPathAndByTranscripts(t *testing.T) {
	w := newWorld(t)
	slug := strings.NewReplacer("/", "-", ".", "-", "_", "-").Replace(w.places.Folder)
	w.write("src/other/x", "")
	w.write(".claude/projects/-any-name/s.jsonl", "not json\n{\"type\":\"x\"}\n{\"cwd\":\""+w.path("src/other")+"\"}\n")
	w.write(".claude/projects/-gone/s.jsonl", "{\"cwd\":\"/nowhere/lost.git\"}\n")
	w.write(".gemini/tmp/q/.project_root", w.places.Folder+"\n")
	for _, dir := range []string{".claude/projects/" + slug, ".claude/projects/-any-name", ".claude/projects/-gone", ".claude/projects/-unknown", ".gemini/tmp/q"} {
		w.write(dir+"/memory/a.md", "About "+dir)
	}
	w.write("src/queue/AGENTS.md", "x")
	w.take()
	w.take()
	projects := `select f.path || ' ' || m.tags from files f join memories m on m.key = f.memory where f.path like '%memory%' order by 1`
	w.expect("projects", w.texts(projects), "projects/-any-name/memory/a.md [\"project/other\"]", "projects/-gone/memory/a.md [\"project/-projects--gone\"]", "projects/"+slug+"/memory/a.md [\"project/queue\"]", "projects/-unknown/memory/a.md [\"project/-projects--unknown\"]", "tmp/q/memory/a.md [\"project/queue\"]")
	id := w.texts(`select id from memories where content = 'About .claude/projects/-unknown'`)
	if err := os.Rename(w.path(".claude/projects/-unknown"), w.path(".claude/projects/-other-name")); err != nil {
		t.Fatal(err)
	}
	if r := w.take()["claude-code"]; r.Moved != 1 {
		t.Errorf("a folder with another name: %+v", r)
	}
	w.expect("id", w.texts(`select id from memories where uri like '%-other-name%'`), id...)
}

// A session in a subfolder of a known tree keeps its memory under that folder's name, and belongs to the tree's project; not
// where the name may also stand for a folder of another one.
func TestAMemoryOfASubfolderBelongsToTheProjectOfItsTree(t *testing.T) {
	for name, c := range map[string]struct {
		of, beside string // the folder of the session, and another one that is there
		want       string
	}{
		"Subfolder":   {"src/queue/sub/my.dir", "", "project/queue"},
		"Hidden":      {"src/queue/.tools", "", "project/queue"},
		"Gone":        {"src/queue/gone", "-", "project/-projects-"},
		"Sibling":     {"src/queue-web/sub", "", "project/queue-web"},
		"SiblingAlso": {"src/queue/web/sub", "src/queue-web/sub", "project/-projects-"},
		"Elsewhere":   {"src/que", "", "project/-projects-"},
		"Above":       {"src", "", "project/-projects-"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.write("src/queue/AGENTS.md", "x")
			w.write("src/queue/lib/x", "")
			w.write("src/queue-web/.git/HEAD", "ref: refs/heads/main\n")
			w.write("src/queue-web/.git/objects/x", "")
			w.write("src/queue-web/.git/refs/x", "")
			w.take() // so that the tree is known
			for _, dir := range []string{c.of, c.beside} {
				if c.beside != "-" && dir != "" {
					w.write(dir+"/x", "")
				}
			}
			w.write(".claude/projects/"+regexp.MustCompile(`[^A-Za-z0-9]`).ReplaceAllString(w.path(c.of), "-")+"/memory/a.md", "Of "+name)
			w.take()
			if got := w.texts(`select tags from memories where content like 'Of %'`); len(got) != 1 || !strings.HasPrefix(got[0], `["`+c.want) {
				t.Errorf("tags %q, want %s", got, c.want)
			}
		})
	}
}

func TestAFileDoesNotChooseItsProject(t *testing.T) {
	w := newWorld(t)
	w.write("src/queue/AGENTS.md", "---\ntags: [project/victim, Project/Other, real]\n---\nAbout #project/third.")
	w.write(".claude/projects/-x/memory/a.md", "---\ntags: project/victim\n---\nx")
	w.take()
	w.expect("tags", w.texts(`select m.tags from memories m order by m.uri`), `["project/-projects--x"]`, `["project/queue","real"]`)
}

func TestTheWorktreesOfARepositoryAreOneFolder(t *testing.T) {
	w := newWorld(t)
	w.write("src/queue/AGENTS.md", "No globals.")
	w.write("src/queue/.git/worktrees/wt/commondir", "../..\n")
	w.write("src/queue/.git/worktrees/wt/HEAD", "ref: refs/heads/x\n")
	w.write("src/queue/.git/worktrees/wt/gitdir", w.path("src/wt/.git")+"\n")
	w.write("src/wt/.git", "gitdir: "+w.path("src/queue/.git/worktrees/wt")+"\n")
	w.write("src/wt/CLAUDE.md", "Other.")
	w.take()
	w.places.Folder = w.path("src/wt")
	if r, ok := w.take()["queue-rules"]; !ok || r.HasChanged() {
		t.Errorf("the second worktree: %+v", r)
	}
	w.expect("files", w.texts(`select path from files`), "AGENTS.md")
}

// TestAPathThatSeveralProjectsEncodeToIsNone knows two repositories whose paths encode alike, and a folder
// that is gone whose name another project has.
func TestAPathThatSeveralProjectsEncodeToIsNone(t *testing.T) {
	w := newWorld(t)
	for _, dir := range []string{"src/a/b", "src/a-b"} {
		w.write(dir+"/x", "")
		if _, _, err := checkout.Identify(t.Context(), w.DB.State(), w.path(dir)); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := checkout.Identify(t.Context(), w.DB.State(), w.places.Folder); err != nil {
		t.Fatal(err)
	}
	slug := regexp.MustCompile("[^A-Za-z0-9]").ReplaceAllString(w.path("src/a-b"), "-")
	w.write(".claude/projects/"+slug+"/memory/a.md", "one")
	w.write(".claude/projects/-said/memory/a.md", "two")
	w.write(".claude/projects/-said/s.jsonl", `{"cwd":"`+w.path("src/a-b")+`"}`)
	w.write(".claude/projects/-gone/memory/a.md", "three")
	w.write(".claude/projects/-gone/s.jsonl", `{"cwd":"/gone/queue"}`)
	w.write(".gemini/projects.json", `{"projects": {"`+w.path("src/a-b")+`": "said"}}`)
	w.write(".gemini/tmp/said/memory/a.md", "four")
	w.write(".gemini/tmp/queue/memory/a.md", "five")
	w.write(".codex/memories/MEMORY.md", "# Task Group: leases\napplies_to: cwd="+w.places.Folder+"; reuse_rule=x\n- y (cwd="+w.places.Folder+", a=b)\n")
	w.write(".codex/memories/rollout_summaries/two.md", "cwd="+w.places.Folder+"\ncwd="+w.path("src/a-b")+"\n")
	w.take()
	w.expect("projects", w.texts(`select replace(m.tags, ?, 'SLUG') from memories m order by m.uri`, slug), `["project/-projects--gone"]`, `["project/a-b"]`, `["project/-projects-SLUG"]`, `[]`, `["project/queue"]`, `[]`, `["project/-tmp-queue"]`, `["project/a-b"]`)
}

func TestAProjectThatIsLearnedLaterGetsItsMemories(t *testing.T) {
	w := newWorld(t)
	w.write("src/later/x", "")
	slug := regexp.MustCompile("[^A-Za-z0-9]").ReplaceAllString(w.path("src/later"), "-")
	w.write(".claude/projects/"+slug+"/memory/a.md", "one")
	w.write(".claude/projects/"+slug+"/memory/picture.png", "two")
	w.write(".claude/projects/-x/memory/a.md", "three")
	w.take()
	tags := `select m.tags from memories m where m.content = 'one'`
	w.expect("before", w.texts(tags), `["project/-projects-`+slug+`"]`)
	if _, _, err := checkout.Identify(t.Context(), w.DB.State(), w.path("src/later")); err != nil {
		t.Fatal(err)
	}
	if r := w.take()["claude-code"]; r.Updated != 1 {
		t.Errorf("the import that learns it: %+v", r)
	}
	w.expect("after", w.texts(tags), `["project/later"]`)
	if r := w.take()["claude-code"]; r.HasChanged() {
		t.Errorf("the next import: %+v", r)
	}
	w.expect("versions", w.texts(`select revision from memories where content = 'three'`), "1")
}
