package main

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	_ "github.com/mattn/go-sqlite3" // plain FTS5
)

//go:embed million.md.tmpl
var millionText string

// The calls of each kind at a million, and the memories that are stored.
const (
	overviews  = 5
	briefings  = 9
	storedMore = 300
	walkCalls  = 200
)

// million measures one large store: a world, imported, then asked over stdio.
type million struct {
	*bench
	world   *world
	dir     string // of the store, hence.db
	figures map[string]metrics
}

// measureMillion measures a store of size memories and twice as many edges, and
// writes docs/benchmarks-million.md. cacheFolder keeps the imported store for the
// next run, which then keeps the figures of its import; "" for none.
func (b *bench) measureMillion(ctx context.Context, size int, cacheFolder, docs string) error {
	figures := filepath.Join(docs, "benchmarks-million.json")
	r, err := readResults(figures)
	if err != nil {
		return err
	}
	if r.Metrics["million"] == nil {
		r.Metrics["million"] = map[string]metrics{}
	}
	m := million{bench: b, world: newWorld(size), dir: filepath.Join(b.scratch, "million"), figures: r.Metrics["million"]}
	for _, step := range []func(context.Context) error{
		func(ctx context.Context) error { return m.fill(ctx, cacheFolder) },
		m.coldStart, m.searches, m.walks, m.briefings, m.stores,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	r.Machine = machine()
	if err := r.write(figures); err != nil {
		return err
	}
	text, err := r.fill(millionText)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(docs, "benchmarks-million.md"), []byte(text), 0o644)
}

// record adds the percentiles of some times to the figures.
func (m *million) record(name string, took times) {
	m.figures[name] = metrics{"p50-ms": took.percentile(50), "p99-ms": took.percentile(99), "calls": float64(len(took))}
	m.say("%s: p50 %s, p99 %s", name, milliseconds(took.percentile(50)), milliseconds(took.percentile(99)))
}

func (m *million) store() string { return filepath.Join(m.dir, "hence.db") }

// fill imports the world, or copies the store from cacheFolder.
func (m *million) fill(ctx context.Context, cacheFolder string) error {
	if err := makeFolder(m.dir); err != nil {
		return err
	}
	keptStore := filepath.Join(cacheFolder, fmt.Sprintf("hence-%d.db", m.world.size))
	if cacheFolder != "" && exists(keptStore) {
		m.say("million: copying %s", keptStore)
		if _, err := m.world.write(io.Discard); err != nil { // for the texts that are asked about
			return err
		}
		return copyFile(keptStore, m.store())
	}
	if err := m.importWorld(ctx); err != nil || cacheFolder == "" {
		return err
	}
	if err := makeFolder(cacheFolder); err != nil {
		return err
	}
	return copyFile(m.store(), keptStore)
}

// importWorld imports the world with the program, and records the figures of that.
func (m *million) importWorld(ctx context.Context) error {
	path := filepath.Join(m.dir, "world.jsonl")
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	lines, err := m.world.write(f)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	m.say("million: importing %d lines", lines)
	before := time.Now()
	if err := m.run(ctx, "import", path, "--db", m.store()); err != nil {
		return err
	}
	took := time.Since(before)
	info, err := os.Stat(m.store())
	if err != nil {
		return err
	}
	read, err := os.Stat(path)
	if err != nil {
		return err
	}
	m.figures["Import"] = metrics{
		"lines": float64(lines), "lines/s": float64(lines) / took.Seconds(), "seconds": took.Seconds(),
		"file-MB": megabytes(info.Size()), "lines-MB": megabytes(read.Size()),
		"memories": float64(m.world.size), "edges": float64(len(m.world.edges)),
	}
	m.say("import: %.0f lines/s", float64(lines)/took.Seconds())
	return os.Remove(path)
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// contender is the server that is measured.
func (m *million) contender() contender { return m.memoryServers()[0] }

// coldStart measures how long a new process takes until it has answered a search.
func (m *million) coldStart(ctx context.Context) error {
	took, server, err := startUp(ctx, m.contender(), m.dir, starts)
	if err != nil {
		return err
	}
	server.stop()
	m.record("Start", took)
	return nil
}

// searches asks for three words of a memory as they stand, and for seven in no order,
// each in turn by the server and by plain FTS5 for any of the words.
func (m *million) searches(ctx context.Context) error {
	plain, err := sql.Open("sqlite3", "file:"+m.store()+"?mode=ro&_query_only=on&_cache_size=-16000")
	if err != nil {
		return err
	}
	defer plain.Close()
	plain.SetMaxOpenConns(1)
	hence := m.contender()
	server, err := start(ctx, hence.command(m.dir))
	if err != nil {
		return err
	}
	defer server.stop()
	r := seeded()
	for _, asked := range []struct {
		name  string
		words func(text) string
	}{
		{"Phrase", func(t text) string { return t.phrase(r) }},
		{"Question", func(t text) string { return t.question(r) }},
	} {
		var ours, bare times
		for _, t := range m.world.asked {
			query := asked.words(t)
			if query == "" {
				continue
			}
			took, err := searchPlainly(ctx, plain, query)
			if err != nil {
				return err
			}
			bare = append(bare, took)
			if _, took, err = server.ask(ctx, hence.search(query)); err != nil {
				return err
			}
			ours = append(ours, took)
		}
		m.record("Search/"+asked.name, ours)
		m.record("Plain/"+asked.name, bare)
	}
	return m.memoryInUse("Read", server)
}

// searchPlainly asks FTS5 for the ten best memories with any of the words.
func searchPlainly(ctx context.Context, plain *sql.DB, query string) (time.Duration, error) {
	before := time.Now()
	rows, err := plain.QueryContext(ctx, `
select
  m.id,
  m.title
from section_search
join sections s on s.key = section_search.rowid
join memories m on m.key = s.memory
where section_search match ?
order by bm25(section_search)
limit 10`, `"`+strings.Join(strings.Fields(query), `" OR "`)+`"`)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	for rows.Next() {
		var id, title string
		if err := rows.Scan(&id, &title); err != nil {
			return 0, err
		}
	}
	return time.Since(before), rows.Err()
}

func (m *million) memoryInUse(when string, server *running) error {
	now, highest, err := server.memory()
	m.figures["Resident/"+when] = metrics{"now-MB": megabytes(now), "highest-MB": megabytes(highest)}
	return err
}

// walks opens memories, asks for their neighbours, for paths between two of them, and
// for the overview.
func (m *million) walks(ctx context.Context) error {
	server, err := start(ctx, m.contender().command(m.dir))
	if err != nil {
		return err
	}
	defer server.stop()
	var gets, near, expands, paths, overview []call
	for i := range walkCalls {
		id := m.world.asked[i%len(m.world.asked)].name
		other := m.world.asked[(i*37+11)%len(m.world.asked)].name
		gets = append(gets, call{"memory_get", map[string]any{"id": id}})
		near = append(near, call{"get_neighborhood", map[string]any{"id": id}})
		expands = append(expands, call{"expand", map[string]any{"seed_doc_ids": []string{id}, "hops": 2}})
		paths = append(paths, call{"memory_path", map[string]any{"from_id": id, "to_id": other}})
	}
	for range overviews {
		overview = append(overview, call{"graph_overview", map[string]any{}})
	}
	for _, asked := range []struct {
		name  string
		calls []call
	}{{"Get", gets}, {"Neighborhood", near}, {"Expand", expands}, {"Path", paths}, {"Overview", overview}} {
		took, err := server.each(ctx, asked.calls)
		if err != nil {
			return err
		}
		m.record(asked.name, took)
		if asked.name == "Overview" {
			m.record("Overview/first", took[:1])
		}
	}
	return m.memoryInUse("Walked", server)
}

// briefings measures hence prime, a process each.
func (m *million) briefings(ctx context.Context) error {
	var took times
	for range briefings {
		before := time.Now()
		if output, err := exec.CommandContext(ctx, m.hence, "prime", "--db", m.store()).CombinedOutput(); err != nil || len(output) == 0 {
			return fmt.Errorf("hence prime: %w: %.500s", err, output)
		}
		took = append(took, time.Since(before))
	}
	m.record("Brief", took)
	return nil
}

// stores stores memories that the world does not have yet, and a relation of each. Every
// tenth is another wording of a memory that is there, which may be what is stored: it is
// not linked.
func (m *million) stores(ctx context.Context) error {
	hence := m.contender()
	server, err := start(ctx, hence.command(m.dir))
	if err != nil {
		return err
	}
	defer server.stop()
	var stores, links []call
	before := ""
	for i := range storedMore {
		line := m.world.memory(m.world.size + i)
		title, isAnother := fmt.Sprintf("Stored later %d", i), i%10 == 9
		if isAnother {
			line.Content = m.world.asked[i].body + " " + m.world.vocabulary[i]
		}
		stores = append(stores, call{"memory_store", map[string]any{"title": title, "content": line.Content, "tags": line.Tags}})
		if isAnother {
			continue
		}
		if before != "" {
			links = append(links, hence.relate(before, title))
		}
		before = title
	}
	for _, asked := range []struct {
		name  string
		calls []call
	}{{"Store", stores}, {"Link", links}} {
		took, err := server.each(ctx, asked.calls)
		if err != nil {
			return err
		}
		m.record(asked.name, took)
	}
	return m.memoryInUse("Written", server)
}
