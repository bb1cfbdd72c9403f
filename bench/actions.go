package main

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// actedOn are the repositories whose files are edited: a module of Go, or a package of npm with
// the folder of its sources. The matcher was tuned on chi and mobx. The others were drawn when it
// was finished.
var actedOn = []struct{ name, module, folder string }{
	{"chi", "github.com/go-chi/chi/v5@v5.1.0", ""},
	{"mobx", "mobx@6.13.5", "src"},
	{"raft", "github.com/hashicorp/raft@v1.7.1", ""},
	{"toolkit", "@reduxjs/toolkit@2.2.7", "src"},
}

const (
	plantedEach = 20 // decisions of each sort: of symbols, of files, of folders
	simulated   = 500
)

// planted is a decision that is tied to a part of a repository.
type planted struct {
	title      string
	path       string // of the file, or of the folder with a slash
	start, end int    // lines of the symbol; 0: all
}

// touches reports whether an edit of some lines of a file touches what the decision is tied to.
func (p planted) touches(file string, first, last int) bool {
	switch {
	case strings.HasSuffix(p.path, "/"):
		return strings.HasPrefix(file, p.path)
	case file != p.path:
		return false
	}
	return p.start == 0 || first <= p.end && last >= p.start
}

// sourced is a symbol or file of an imported repository.
type sourced struct {
	id, path   string
	start, end int
}

// The ways in which people and agents tie a decision to a file or folder. {p} is the path, {b} its
// last part, {u} the part above that, {w} the path with backslashes, {r} the repository. A text
// without any of them is tied by a property or an edge.
var (
	aboutFiles = []string{
		"Retries stay out of `{p}`: the caller knows the deadline, we do not.",
		"{p} keeps its fields in this order because older peers read them by position.",
		"The limits in {b} were measured on the old cluster. Nobody has measured since, so they stay.",
		"Do not split {u}/{b}; two reviews asked for one place to read.",
		"Somebody will want to simplify ./{p}:120. That was tried in May and cost a third of the throughput.",
		"We looked at {r}/{p} for two days and agreed to leave its locking alone until the rewrite.",
		"On Windows the path is {w}; it has to stay free of symlinks.",
		"The comment in [{b}]({p}) is a promise to users. Change it only with a major version.",
		"@{p} has no dependency on the clock. Tests rely on that.",
		"Whatever else moves, the public names live only in {b}.",
	}
	aboutFolders = []string{
		"Nothing below {p} may know about the command line.",
		"The {b} folder stays synchronous. Callers that want to wait in the background do it themselves.",
		"`{p}`: pure functions only, no logging, no environment.",
		"Everything matching {p}** is reviewed by two people since the outage of March.",
		"Code in the directory {b} returns errors and never panics.",
		"We froze ./{p} for this quarter; fixes go in, features wait.",
		"The package {b} must build without cgo, for the small devices.",
		"{p}*.* carry the licence header of the foundation, new files too.",
	}
	besideTheRepository = []string{
		"The weekly report is sent on Mondays, because the numbers of Sunday come late.",
		"Invoices are kept for ten years. The auditors asked for it in writing.",
		"We chose Postgres over MySQL for its partial indexes.",
		"The {b} was discussed at length in Lisbon without a result.",
		"Support wants shorter error texts; {b} is a word that customers do not know.",
		"Release notes are written by whoever merged the most, not by the manager.",
		"In the mobile app, lib/{b}/main.dart draws the first screen before the network is up.",
		"The vendor's {b} service times out at night; call after six.",
		"Names of branches begin with the number of the ticket.",
		"Nobody deploys on Friday after the {b} incident.",
	}
)

// measureActions plants decisions in repositories, simulates edits, each in a session of its own,
// and counts how often the hook before an edit says the right thing.
func measureActions(ctx context.Context, b *bench) error {
	b.results.Rows["actions"] = nil
	for _, one := range actedOn {
		if only := os.Getenv("HENCE_ACTIONS"); only != "" && !slices.Contains(strings.Split(only, ","), one.name) {
			continue
		}
		dir := filepath.Join(b.scratch, "actions", one.name)
		if err := fetchSources(ctx, b.scratch, one.module, one.folder, dir); err != nil {
			return fmt.Errorf("%s: %w", one.name, err)
		}
		row, err := b.simulate(ctx, one.name, dir)
		if err != nil {
			return fmt.Errorf("%s: %w", one.name, err)
		}
		b.say("%s", row)
		b.results.Rows["actions"] = append(b.results.Rows["actions"], row)
	}
	return nil
}

// fetchSources copies a module of Go, or a folder of a package of npm, and makes it a repository.
func fetchSources(ctx context.Context, scratch, module, folder, dir string) error {
	if err := makeFolder(dir); err != nil {
		return err
	}
	if folder == "" {
		if err := fetchRepository(ctx, module, dir); err != nil {
			return err
		}
	} else {
		install := exec.CommandContext(ctx, "npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", scratch, module)
		if output, err := install.CombinedOutput(); err != nil {
			return fmt.Errorf("npm install: %w: %.300s", err, output)
		}
		from := filepath.Join(scratch, "node_modules", filepath.FromSlash(module[:strings.LastIndex(module, "@")]), folder)
		if err := os.CopyFS(filepath.Join(dir, folder), os.DirFS(from)); err != nil {
			return err
		}
	}
	return exec.CommandContext(ctx, "git", "-C", dir, "init", "-q").Run()
}

// simulate plants the decisions and makes the edits of one repository.
func (b *bench) simulate(ctx context.Context, name, dir string) (row string, err error) {
	store := filepath.Join(filepath.Dir(dir), name+".db")
	if err := b.run(ctx, "import", dir, "--db", store, "--name", name); err != nil {
		return "", err
	}
	symbols, files, err := readSources(ctx, store)
	if err != nil {
		return "", err
	}
	random := rand.New(rand.NewPCG(40, uint64(len(files))))
	shuffle := func(list []sourced) {
		random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	}
	shuffle(symbols)
	shuffle(files)
	all, lines := plant(name, symbols, files)
	input := filepath.Join(filepath.Dir(dir), name+".jsonl")
	if err := os.WriteFile(input, lines, 0o600); err != nil {
		return "", err
	}
	if err := b.run(ctx, "import", input, "--db", store, "--project", name); err != nil {
		return "", err
	}
	c := counted{}
	for n := range simulated {
		if err := b.edit(ctx, random, dir, store, n, all, files, &c); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("| %s | %d of %d | %d of %d | %d | %s | %s | %s | %s |", name, c.right, c.touching, c.silent, c.others, c.wrong,
		milliseconds(c.worked.percentile(50)), milliseconds(c.took.percentile(50)), milliseconds(c.took.percentile(99)), strings.Fields(load())[0]), nil
}

// counted are the results of the edits of a repository. wrong counts lines about a decision that the edit
// does not touch, in answers to edits that touch another.
type counted struct {
	touching, right, others, silent, wrong int
	took, worked                           times // from start to end, and on a processor
}

// readSources returns the symbols of more than two lines, and the files, of the only repository of a store.
func readSources(ctx context.Context, store string) (symbols, files []sourced, err error) {
	d, err := sql.Open("sqlite3", store)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	for list, query := range map[*[]sourced]string{
		&symbols: `select m.id, f.path, s.start_line, s.end_line from symbols s join memories m on m.key = s.memory join files f on f.memory = s.file where s.end_line > s.start_line + 1 order by m.uri`,
		&files:   `select m.id, f.path, 0, 0 from files f join memories m on m.key = f.memory where exists (select 1 from symbols s where s.file = f.memory) order by f.path`,
	} {
		rows, err := d.QueryContext(ctx, query)
		if err != nil {
			return nil, nil, err
		}
		for rows.Next() {
			var s sourced
			if err := rows.Scan(&s.id, &s.path, &s.start, &s.end); err != nil {
				return nil, nil, err
			}
			*list = append(*list, s)
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			return nil, nil, err
		}
	}
	return symbols, files, nil
}

// plant returns decisions tied to symbols, files and folders, and the lines that store them
// together with memories that are about something else.
func plant(repository string, symbols, files []sourced) (all []planted, lines []byte) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	n := 0
	put := func(text string, properties map[string]string, to, kind string) string {
		n++
		id, title := fmt.Sprintf("planted-%s-%03d", repository, n), fmt.Sprintf("Agreed point %03d", n)
		kinds := []string{"decision", "decision", "fact", "rule", "lesson"}
		_ = e.Encode(map[string]any{"type": "memory", "id": id, "title": title, "content": text, "kind": kinds[n%len(kinds)], "origin": "agent", "properties": properties, "tags": []string{"project/" + repository}})
		if to != "" {
			_ = e.Encode(map[string]any{"type": "edge", "id": "tie-" + id, "from": id, "to": to, "edge_type": kind, "origin": "agent"})
		}
		return title
	}
	write := func(template, p string) string {
		base := path.Base(p)
		return strings.NewReplacer("{p}", p, "{b}", base, "{u}", path.Base(path.Dir(strings.TrimSuffix(p, "/"))), "{w}", strings.ReplaceAll(p, "/", `\`), "{r}", repository).Replace(template)
	}
	for i := range min(plantedEach, len(symbols)) {
		s := symbols[i]
		text := fmt.Sprintf("Point %d of the review: the order of the checks is deliberate, the slow one runs last.", i)
		all = append(all, planted{put(text, nil, s.id, "depends-on"), s.path, s.start, s.end})
	}
	bases := map[string]int{}
	for _, f := range files {
		bases[path.Base(f.path)]++
	}
	named := slices.DeleteFunc(slices.Clone(files), func(f sourced) bool { return bases[path.Base(f.path)] > 1 })
	for i := range plantedEach {
		f := named[i%len(named)]
		title := ""
		switch {
		case i < 2*len(aboutFiles)-6:
			template := aboutFiles[i%len(aboutFiles)]
			if !strings.Contains(f.path, "/") {
				template = strings.ReplaceAll(template, "{u}/", "")
			}
			title = put(write(template, f.path), nil, "", "")
		case i%2 == 0:
			title = put("Generated once, then kept by hand.", map[string]string{"file": f.path}, "", "")
		default:
			title = put("Kept apart on purpose, so that it can be reviewed alone.", nil, f.id, []string{"depends-on", "relates-to"}[i/2%2])
		}
		all = append(all, planted{title, f.path, 0, 0})
	}
	folders := smallFolders(files)
	for i := range plantedEach {
		if len(folders) == 0 {
			break
		}
		// A few folders are tied, so that most edits are outside of them.
		p, template := folders[i%min(len(folders), 3)], aboutFolders[i%len(aboutFolders)]
		title := ""
		if i%9 == 8 {
			title = put("Kept small on purpose.", map[string]string{"scope": p}, "", "")
		} else {
			title = put(write(template, p), nil, "", "")
		}
		all = append(all, planted{title, p, 0, 0})
	}
	words := append(slices.Clone(folders), "core/", "types/", "queue/")
	for i := range 120 {
		put(write(besideTheRepository[i%len(besideTheRepository)], words[i%len(words)]), nil, "", "")
	}
	return all, out.Bytes()
}

// smallFolders returns the folders whose name says which they are, those with the fewest files first.
func smallFolders(files []sourced) []string {
	within, lasts := map[string]int{}, map[string]int{}
	for _, f := range files {
		for dir := path.Dir(f.path); dir != "."; dir = path.Dir(dir) {
			if within[dir+"/"]++; within[dir+"/"] == 1 {
				lasts[path.Base(dir)]++
			}
		}
	}
	folders := slices.DeleteFunc(slices.Sorted(maps.Keys(within)), func(p string) bool { return p == "src/" || lasts[path.Base(p)] > 1 })
	slices.SortStableFunc(folders, func(a, b string) int { return within[a] - within[b] })
	return folders
}

// place is a file and a line where something is tied, or where nothing is.
func place(random *rand.Rand, dir string, isTied bool, all []planted, files []sourced) (file string, lines []string, at int, err error) {
	for range 10_000 {
		p := all[random.IntN(len(all))]
		file = p.path
		if at := files[random.IntN(len(files))].path; !isTied || strings.HasSuffix(p.path, "/") {
			file = at
		}
		raw, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(file)))
		if err != nil {
			return "", nil, 0, err
		}
		lines = strings.SplitAfter(string(raw), "\n")
		from, to := 1, len(lines)
		if isTied && p.start > 0 {
			from, to = p.start, p.end
		}
		at = from + random.IntN(to-from+1)
		isTouched := isTied && p.touches(file, at, at)
		if !isTied {
			isTouched = slices.ContainsFunc(all, func(p planted) bool { return p.touches(file, at, at) })
		}
		if text := strings.TrimSpace(lines[at-1]); len(text) > 3 && strings.Contains(text, " ") && isTouched == isTied {
			return file, lines, at, nil
		}
	}
	return "", nil, 0, fmt.Errorf("no place was found in %s where something is tied: %v", dir, isTied)
}

// inputOf returns a client that has a tool, and the tool's input for an edit.
func inputOf(tool, full, file string, lines []string, at int, before, after, changed string) (client string, input map[string]any) {
	switch tool {
	case "Edit":
		input = map[string]any{"file_path": full, "old_string": before, "new_string": after}
	case "MultiEdit":
		input = map[string]any{"file_path": full, "edits": []any{map[string]any{"old_string": before, "new_string": after}}}
	case "Write":
		whole := strings.Join(lines[:at-1], "") + changed + strings.Join(lines[at:], "")
		input = map[string]any{"file_path": full, "content": whole}
	case "apply_patch":
		hunk := ""
		for _, line := range strings.SplitAfter(before, "\n") {
			if line != "" && line != lines[at-1] {
				hunk += " " + line
			} else if line != "" {
				hunk += "-" + line + "+" + changed
			}
		}
		return "codex", map[string]any{"command": "*** Begin Patch\n*** Update File: " + file + "\n@@\n" + strings.TrimSuffix(hunk, "\n") + "\n*** End Patch\n"}
	}
	return "claude-code", input
}

// edit makes one edit of a random place, half of them where something is tied, and counts the answer.
func (b *bench) edit(ctx context.Context, random *rand.Rand, dir, store string, n int, all []planted, files []sourced, c *counted) error {
	file, lines, at, err := place(random, dir, n%2 == 0, all, files)
	if err != nil {
		return err
	}
	full, raw := filepath.Join(dir, filepath.FromSlash(file)), strings.Join(lines, "")
	head, tail, _ := strings.Cut(strings.TrimLeft(lines[at-1], " \t"), " ")
	changed := lines[at-1][:len(lines[at-1])-len(head)-len(tail)-1] + head + " /* changed */ " + tail
	before, after := lines[at-1], changed
	for width := 1; strings.Count(raw, before) > 1 && width < len(lines); width++ {
		low, high := max(0, at-1-width), min(len(lines), at+width)
		before, after = strings.Join(lines[low:high], ""), strings.Join(lines[low:at-1], "")+changed+strings.Join(lines[at:high], "")
	}
	tool := []string{"Edit", "Edit", "MultiEdit", "Write", "apply_patch"}[n%5]
	client, input := inputOf(tool, full, file, lines, at, before, after, changed)
	message, err := json.Marshal(map[string]any{"session_id": strconv.Itoa(n), "cwd": dir, "tool_name": tool, "tool_input": input, "hook_event_name": "PreToolUse"})
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, b.hence, "hook", "PreToolUse", "--client", client, "--db", store)
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+filepath.Join(filepath.Dir(store), "state"))
	if within := os.Getenv("HENCE_WITHIN"); within != "" { // on a machine that is busy with other things
		cmd.Args = append(cmd.Args, "--within", within)
	}
	cmd.Stdin = bytes.NewReader(message)
	began := time.Now()
	said, err := cmd.Output()
	if err != nil {
		return err
	}
	c.took = append(c.took, time.Since(began))
	c.worked = append(c.worked, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
	c.judge(all, tool, file, at, string(said))
	return nil
}

// judge counts an answer to an edit.
func (c *counted) judge(all []planted, tool, file string, at int, said string) {
	touched, shown := 0, 0
	for _, p := range all {
		isTouched, isShown := p.touches(file, at, at), strings.Contains(said, p.title)
		if isTouched {
			touched++
		}
		if isTouched && isShown {
			shown++
		}
		if isShown && !isTouched {
			c.wrong++
		}
	}
	lineCount := strings.Count(said, "Agreed point")
	isRight := shown > 0 && shown == min(touched, 3) && lineCount == shown
	switch {
	case touched > 0:
		c.touching++
		if isRight {
			c.right++
		}
	default:
		c.others++
		if lineCount == 0 {
			c.silent++
		}
	}
	if os.Getenv("HENCE_VERBOSE") != "" && (touched > 0 && !isRight || touched == 0 && lineCount > 0) {
		fmt.Fprintf(os.Stderr, "%s %s:%d touches %d: %s\n", tool, file, at, touched, said)
		for _, p := range all {
			if p.touches(file, at, at) {
				fmt.Fprintf(os.Stderr, "\t%s %s %d-%d\n", p.title, p.path, p.start, p.end)
			}
		}
	}
}
