package use_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"hence/internal/receipts"
	"hence/memory/exchange/transcripts"
	"hence/memory/use"
)

// The generator writes conversations with an agent in the form of Claude Code and of Codex, in which it plants uses and
// corrections of memories, and decoys. It knows no more of the judge than that there is one. Its words come from lists, of which
// the held-out conversations have one half and those by which the judge was made the other.

// lists are the words of half of the conversations.
type lists struct {
	areas, syllables, parts, people, subjects, does, objects, events, flags []string
}

// half returns every other word of a list.
func half(words string, heldOut bool) (some []string) {
	for i, word := range strings.Split(words, ",") {
		if i%2 == 1 == heldOut {
			some = append(some, strings.TrimSpace(word))
		}
	}
	return some
}

func listsOf(heldOut bool) lists {
	h := func(words string) []string { return half(words, heldOut) }
	return lists{
		areas: h("invoice export,session store,image resizer,billing ledger,search indexer,mail gateway,login page,rate limiter,report builder,job queue," +
			"webhook sender,price feed,audit trail,address book,cache layer,photo upload,map renderer,feed reader,token issuer,backup runner"),
		syllables: h("ka,zo,ri,mu,ten,val,dra,pix,lo,ner,sha,bi,qua,tor,fen,gli,hex,ju,wop,yar,cro,mel,sno,vix"),
		parts:     h("lease,batch,inflight,idle,shard,budget,page,flush,pool,warmup,grace,cursor,backoff,depth,drain,chunk,window,limit,ttl,interval,threshold,quota,ceiling,floor,delay,stride"),
		people:    h("Marit,Tobias,Ngozi,Ileana,Hamid,Sunniva,Renske,Okafor,Dariusz,Yuki,Anouk,Pelle,Ottilie,Bram,Kwame,Saskia,Jorun,Lucian,Amara,Teodor,Halima,Radek,Imogen,Farid"),
		subjects: h("the vendor,the proxy,the driver,auditors,older phones,the kernel,legal,the parser,the mirror,the free tier,browsers,the replica,the scheduler,the accountant,the load balancer,partners," +
			"the certificate,the warehouse,translators,the firmware,the regulator,the payment bank,the scraper,the printer"),
		does: h("rounds,buffers,leaks,demands,rejects,kills,forbids,doubles,chokes on,synchronises,suspends,prefetches,duplicates,truncates,reorders,swallows,throttles,delays,misreads,archives,renumbers,strips,caches,overwrites"),
		objects: h("amounts,bodies,descriptors,immutable rows,ciphers,greedy processes,addresses,daylight hours,nested comments,snapshots,tenants,logout links,carts,thumbnails,reset mails,quorums,wildcards,deadlocks," +
			"postcodes,accents,signatures,barcodes,coupons,refunds"),
		events: h("every release,each migration,tagging,a hotfix,merging to main,the nightly run,closing the quarter,switching regions,restoring a dump,onboarding a tenant"),
		flags:  h("--frozen,--strict,--no-cache,--with-fixtures,--dry,--region=eu,--parallel=4,--offline"),
	}
}

// cause is why something is as it is.
func (g *maker) cause() string {
	return g.pick(g.subjects) + " " + g.pick(g.does) + " " + g.pick(g.objects)
}

// tool is an invented name.
func (g *maker) tool() string { return g.pick(g.syllables) + g.pick(g.syllables) + g.pick(g.syllables) }

func (g *maker) parameter() string {
	a, b := g.pick(g.parts), g.pick(g.parts)
	if g.IntN(2) == 0 {
		return a + "_" + b
	}
	return a + strings.ToUpper(b[:1]) + b[1:]
}

// common are words that agents use of anything.
var common = strings.Fields(`server request error config function handler module table query database connection timeout retry worker client value index update
	check test build deploy branch commit file folder path line number version release cache memory token user page message queue job service method class
	package import export result response header field column record schema change fix bug issue problem approach option default setting parameter review
	small simple safe correct existing current next first together directly carefully because therefore although while before after which where this that
	with from into over under about should could would will makes keeps needs uses adds removes moves splits renames handles returns reads writes runs fails passes`)

// planted is a memory with the texts by which it can be used.
type planted struct {
	use.Memory
	receipts.Shown
	area            string
	edit, answer    string // that are made of what it says
	command, file   string // "" if it has none
	denial          string // with which a person contradicts it
	prompt, telling string // a prompt and a text of a tool that say all that it says
}

type maker struct {
	*rand.Rand
	lists
	files []string
}

func (g *maker) pick(list []string) string { return list[g.IntN(len(list))] }

// filler is what an agent says or writes of anything.
func (g *maker) filler(n int) string {
	words := []string{}
	for range n {
		words = append(words, g.pick(common))
	}
	return strings.Join(words, " ") + "."
}

func (g *maker) memory() planted {
	area := g.pick(g.areas)
	folder := strings.ReplaceAll(area, " ", "/")
	m := planted{area: area}
	tool, person, incident, cause, event, parameter, number := g.tool(), g.pick(g.people), g.cause(), g.cause(), g.pick(g.events), g.parameter(), 11+g.IntN(900)
	switch g.IntN(5) {
	case 0:
		m.Title = fmt.Sprintf("The %s keeps %s at %d", area, parameter, number)
		m.Content = fmt.Sprintf("In the %s %s stays at %d, because %s.", area, parameter, number, cause)
		m.edit = fmt.Sprintf("cfg.%s = %d // see the note", parameter, number)
		m.answer = fmt.Sprintf("I left %s at %d there. As noted, %s.", parameter, number, cause)
		m.denial = fmt.Sprintf("That is not true any more: %s is %d by now, not %d.", parameter, number+5, number)
	case 1:
		m.command = fmt.Sprintf("%s %s %s", tool, strings.Fields(area)[0], g.pick(g.flags))
		m.Title = fmt.Sprintf("Before %s run %s for the %s", event, tool, area)
		m.Content = fmt.Sprintf("Before %s of the %s run `%s`; without it %s.", event, area, m.command, incident)
		m.edit = fmt.Sprintf("release:\n\t%s\n", m.command)
		m.answer = fmt.Sprintf("I ran %s first, since without that %s.", tool, incident)
		m.denial = fmt.Sprintf("Wrong, we no longer run %s before %s.", tool, event)
	case 2:
		m.file = fmt.Sprintf("%s/%s_%d.go", folder, strings.ToLower(person), number)
		m.Title = fmt.Sprintf("Changes of the %s belong into one place", area)
		m.Content = fmt.Sprintf("Whoever changes the %s does it in %s, because %s.", area, m.file, cause)
		m.edit = "// " + cause + "\nfunc apply() {}"
		m.answer = fmt.Sprintf("The change is in %s now. The reason for that place: %s.", m.file, cause)
		m.denial = fmt.Sprintf("No, %s is gone.", m.file)
	case 3:
		m.Title = fmt.Sprintf("%s decides about the %s", person, area)
		m.Content = fmt.Sprintf("%s decides about the %s since %s. Ask before %s.", person, area, incident, event)
		m.edit = fmt.Sprintf("# owner: %s, since %s", person, incident)
		m.answer = fmt.Sprintf("You should ask %s before %s; %s once.", person, event, incident)
		m.denial = fmt.Sprintf("Actually %s has left, and before %s nobody asks.", person, event)
	default:
		m.Title = fmt.Sprintf("The %s uses %s", area, tool)
		m.Content = fmt.Sprintf("We chose %s for the %s, because %s. Before that %s.", tool, area, cause, incident)
		m.edit = fmt.Sprintf("import %q // %s", tool, cause)
		m.answer = fmt.Sprintf("I built it with %s, because %s.", tool, cause)
		m.denial = fmt.Sprintf("We switched from %s long ago, so %s is moot.", tool, cause)
	}
	m.prompt = fmt.Sprintf("Please look after the %s. Mind that %s %s", area, strings.ToLower(m.Content[:1]), m.Content[1:])
	m.telling = g.filler(12) + " " + m.Content + "\n" + m.edit + "\n" + m.answer
	return m
}

// session is a conversation as a client keeps it, with what stands in the receipts and what is true of it.
type session struct {
	id        string
	format    string
	lines     []string
	receipts  []receipts.Receipt
	used      map[string]string // how, by id
	corrected map[string]bool
	decoys    map[string]string // why it looks like a use, by id
	at        time.Time
	calls     int
}

func (s *session) tick() string {
	s.at = s.at.Add(7 * time.Second)
	return s.at.UTC().Format(time.RFC3339Nano)
}

func text(v any) string {
	raw, _ := json.Marshal(v)
	return string(raw)
}

func (s *session) line(kind string, content any) {
	s.calls++
	if s.format == transcripts.ClaudeCode {
		s.lines = append(s.lines, text(map[string]any{"type": kind, "uuid": fmt.Sprint(s.id, s.calls), "sessionId": s.id, "cwd": "/work/shop", "timestamp": s.tick(), "message": map[string]any{"role": kind, "model": "m", "content": content}}))
		return
	}
	s.lines = append(s.lines, text(map[string]any{"timestamp": s.tick(), "type": "response_item", "payload": content}))
}

// receipt adds a receipt of a hook, or of a call of Hence.
func (s *session) receipt(tool, arguments string, shown ...planted) {
	r := receipts.Receipt{Session: s.id, Actor: "claude-code", At: s.at.Add(time.Second), Tool: tool, Arguments: arguments, Outcome: "ok", BytesOut: 400 * len(shown)}
	if !strings.HasPrefix(tool, "hook:") {
		r.Session = "server of " + s.id
	}
	for _, m := range shown {
		r.Shown = append(r.Shown, m.Shown)
	}
	s.receipts = append(s.receipts, r)
}

func (s *session) says(role, said string) {
	if role == "user" {
		s.receipt("hook:prompt", said)
	}
	if s.format == transcripts.ClaudeCode {
		s.line(role, []any{map[string]any{"type": "text", "text": said}})
		return
	}
	part := map[string]string{"user": "input_text", "assistant": "output_text"}[role]
	s.line("", map[string]any{"type": "message", "role": role, "content": []any{map[string]any{"type": part, "text": said}}})
}

// calls tells of a call of a tool and its answer.
func (s *session) call(tool string, input map[string]any, answer string) {
	id := fmt.Sprint("call", s.calls)
	switch tool {
	case "Bash", "Edit":
		s.receipt("hook:act", tool+" "+text(input))
	}
	if s.format == transcripts.ClaudeCode {
		s.line("assistant", []any{map[string]any{"type": "tool_use", "id": id, "name": tool, "input": input}})
		s.line("user", []any{map[string]any{"type": "tool_result", "tool_use_id": id, "content": answer}})
		return
	}
	switch tool {
	case "Bash":
		s.line("", map[string]any{"type": "function_call", "name": "exec_command", "call_id": id, "arguments": text(map[string]any{"cmd": input["command"], "workdir": "/work/shop"})})
		answer = "Process exited with code 0\nOutput:\n" + answer
	case "Edit":
		patch := fmt.Sprintf("*** Begin Patch\n*** Update File: %v\n@@\n", input["file_path"])
		for line := range strings.Lines(fmt.Sprint(input["old_string"])) {
			patch += "-" + strings.TrimSuffix(line, "\n") + "\n"
		}
		for line := range strings.Lines(fmt.Sprint(input["new_string"])) {
			patch += "+" + strings.TrimSuffix(line, "\n") + "\n"
		}
		s.line("", map[string]any{"type": "custom_tool_call", "name": "apply_patch", "call_id": id, "input": patch + "*** End Patch"})
	default:
		s.line("", map[string]any{"type": "function_call", "name": tool, "call_id": id, "arguments": text(input)})
	}
	s.line("", map[string]any{"type": "function_call_output", "call_id": id, "output": answer})
}

// hence calls a tool of Hence, which shows memories.
func (s *session) hence(tool string, input map[string]any, shown ...planted) {
	answer := "found"
	for _, m := range shown {
		answer += "\n" + m.ID[len(m.ID)-8:] + " " + m.Title + ": " + m.Content
	}
	s.at = s.at.Add(7 * time.Second) // between the call and its answer
	s.receipt(tool, text(input), shown...)
	s.at = s.at.Add(-7 * time.Second)
	s.call("mcp__hence__"+tool, input, answer)
}

// noise is what any session has.
func (g *maker) noise(s *session) {
	switch g.IntN(6) {
	case 0:
		s.says("assistant", g.filler(30+g.IntN(120)))
	case 1:
		s.call("Bash", map[string]any{"command": g.pick([]string{"git status", "go test ./...", "git diff --stat", "ls -la", "make test", "npm run build", "git commit -m \"" + g.filler(5) + "\""})}, g.filler(20))
	case 2:
		s.call("Edit", map[string]any{"file_path": "/work/shop/" + g.pick(g.files), "old_string": g.filler(8), "new_string": g.filler(20)}, "ok")
	case 3:
		s.call("Read", map[string]any{"file_path": "/work/shop/" + g.pick(g.files)}, g.filler(60))
	case 4:
		s.says("user", g.filler(15))
	case 5:
		area := g.pick(g.areas)
		s.says("assistant", "The "+area+" is fine. "+g.filler(20)+" The "+g.pick(g.areas)+" too.")
	}
}

// session makes a conversation in which memories are shown, some of them used.
func (g *maker) session(all []planted) *session {
	s := &session{
		id: fmt.Sprintf("session-%d", g.Uint64()), format: g.pick([]string{transcripts.ClaudeCode, transcripts.Codex}), at: time.Date(2026, 9, 1, 8, 0, 0, 0, time.UTC).Add(time.Duration(g.IntN(1e6)) * time.Second),
		used: map[string]string{}, corrected: map[string]bool{}, decoys: map[string]string{},
	}
	if s.format == transcripts.Codex {
		s.lines = append(s.lines, text(map[string]any{"timestamp": s.tick(), "type": "session_meta", "payload": map[string]any{"id": s.id, "cwd": "/work/shop", "timestamp": s.tick()}}))
	}
	order := g.Perm(len(all))
	shown := []planted{}
	for _, i := range order[:min(len(all)-1, 6+g.IntN(10))] {
		shown = append(shown, all[i])
	}
	hidden := all[order[len(order)-1]]
	used, decoys := shown[:2], shown[max(2, len(shown)-3):]
	for _, m := range decoys { // what makes a decoy of it stands before it is shown
		switch kind := g.IntN(7); kind {
		case 0:
			s.says("user", m.prompt)
			s.decoys[m.ID] = "prompt"
		case 1:
			s.call("Read", map[string]any{"file_path": "/work/shop/" + g.pick(g.files)}, m.telling)
			s.decoys[m.ID] = "read"
		case 2:
			s.says("assistant", m.answer+"\n"+m.edit+"\n"+m.Content)
			s.decoys[m.ID] = "known"
		case 3:
			s.decoys[m.ID] = "common"
		case 4:
			s.decoys[m.ID] = "found"
		case 5:
			s.decoys[m.ID] = "topic"
		case 6:
			s.decoys[m.ID] = "area"
		}
	}
	s.says("user", "Please go on with the work. "+g.filler(10))
	s.receipt("hook:start", "", shown[:len(shown)/2]...)
	s.says("assistant", g.filler(20))
	s.hence("memory_search", map[string]any{"query": g.pick(g.areas)}, shown[len(shown)/2:]...)
	acts := []func(){}
	for _, m := range used {
		acts = append(acts, func() { g.plant(s, m, all) })
	}
	for _, m := range decoys {
		acts = append(acts, func() { g.decoy(s, m, hidden) })
	}
	for range 4 + g.IntN(14) {
		acts = append(acts, func() { g.noise(s) })
	}
	g.Shuffle(len(acts), func(i, j int) { acts[i], acts[j] = acts[j], acts[i] })
	for _, act := range acts {
		act()
	}
	return s
}

// plant makes the agent use a memory, and sometimes the person contradict it.
func (g *maker) plant(s *session, m planted, all []planted) {
	other := all[g.IntN(len(all))]
	how := ""
	switch kind := g.IntN(10); {
	case kind == 0:
		how = use.Opened
		s.hence("memory_get", map[string]any{"id": g.pick([]string{m.ID, m.ID[len(m.ID)-8:]})}, m)
	case kind == 1:
		how = use.Verified
		s.hence("memory_verify", map[string]any{"id": m.ID[len(m.ID)-8:]})
	case kind == 2:
		how = use.Linked
		s.hence("memory_store", map[string]any{"content": g.filler(12), "links": []any{map[string]any{"to": m.ID, "type": "depends-on"}}})
	case kind == 3:
		how = use.Cited
		s.says("assistant", g.filler(15)+" As memory "+g.pick([]string{m.ID[len(m.ID)-8:], "\"" + m.Title + "\""})+" has it, I go on.")
	case kind == 4 && m.command != "":
		how = use.Command
		s.call("Bash", map[string]any{"command": "cd /work/shop && " + m.command + " -v"}, g.filler(20))
	case kind <= 5 && m.file != "":
		how = use.File
		s.call("Edit", map[string]any{"file_path": "/work/shop/" + m.file, "old_string": g.filler(6), "new_string": g.filler(12)}, "ok")
	case kind <= 7:
		how = use.Words + " in an edit"
		s.call("Edit", map[string]any{"file_path": "/work/shop/" + g.pick(g.files), "old_string": g.filler(6), "new_string": g.filler(5) + "\n" + m.edit + "\n" + g.filler(5)}, "ok")
	default:
		how = use.Words + " in an answer"
		s.says("assistant", g.filler(15+g.IntN(40))+" "+m.answer+" "+g.filler(10+g.IntN(40)))
	}
	s.used[m.ID] = how
	switch g.IntN(5) {
	case 0:
		s.says("user", m.denial+" "+g.filler(6))
		s.corrected[m.ID] = true
	case 1:
		s.says("user", "No, not like this. "+g.filler(8)) // of something else
	case 2:
		if other.ID != m.ID && slices.Contains([]string{use.Opened, use.Verified}, how) {
			s.hence("memory_store", map[string]any{"content": g.filler(12), "supersedes": []any{m.ID[len(m.ID)-8:]}})
			s.corrected[m.ID] = true
		}
	}
}

// decoy makes the agent do what looks like the use of a memory.
func (g *maker) decoy(s *session, m planted, hidden planted) {
	switch s.decoys[m.ID] {
	case "prompt", "read", "known": // it was told, or did so itself, before it saw the memory
		s.says("assistant", g.filler(10)+" "+m.answer)
		s.call("Edit", map[string]any{"file_path": "/work/shop/" + g.pick(g.files), "old_string": g.filler(6), "new_string": m.edit}, "ok")
	case "common": // it speaks of the matter in words that anybody uses
		s.says("assistant", "On the "+m.area+": "+g.filler(40))
		s.call("Edit", map[string]any{"file_path": "/work/shop/" + g.pick(g.files), "old_string": "", "new_string": "// " + m.area + " " + g.filler(20)}, "ok")
	case "found": // the file had it, and the edit leaves it there
		s.call("Edit", map[string]any{"file_path": "/work/shop/" + g.pick(g.files), "old_string": m.edit + "\n" + m.answer, "new_string": m.edit + "\n" + g.filler(8) + "\n" + m.answer}, "ok")
	case "topic": // it uses a memory that it was not shown
		s.says("assistant", "On the "+m.area+": "+hidden.answer)
	case "area":
		s.hence("memory_search", map[string]any{"query": m.area + " " + g.filler(5)})
	}
}
