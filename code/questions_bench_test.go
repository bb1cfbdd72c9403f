package code_test

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"hence/code"
	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory/recall"
	"hence/projection"
)

// asked is a question that somebody who does not know a repository asks, and the names of the
// symbols that answer it, any of which counts.
type asked struct {
	question string
	answers  []string
}

// questionsAbout has the questions by repository. They were written before anything was
// measured; nothing was tuned on these repositories.
var questionsAbout = map[string][]asked{
	"certmagic": { // github.com/caddyserver/certmagic v0.21.4
		{"retry with growing pauses when getting a certificate fails", []string{"doWithRetry"}},
		{"decide whether a certificate is due for renewal", []string{"Certificate.NeedsRenewal", "Config.certNeedsRenewal", "currentlyInRenewalWindow", "Config.managedCertNeedsRenewal"}},
		{"evict a random certificate when the cache is full", []string{"Cache.unsyncedCacheCertificate"}},
		{"query the SOA record of a domain, following CNAMEs", []string{"fetchSoaByFqdn", "lookupSoaByFqdn"}},
		{"poll until the TXT record has propagated to the nameservers", []string{"DNSManager.wait", "checkDNSPropagation", "DNS01Solver.Wait", "checkAuthoritativeNss"}},
		{"lock file left behind by a crashed process", []string{"fileLockIsStale", "FileStorage.Lock", "keepLockfileFresh"}},
		{"touch the lock file every few seconds so that others see it is alive", []string{"keepLockfileFresh", "updateLockfileFreshness"}},
		{"does a name match a wildcard such as *.example.com", []string{"MatchWildcard"}},
		{"respond to requests for /.well-known/acme-challenge/", []string{"solveHTTPChallenge", "SolveHTTPChallenge", "ACMEIssuer.HandleHTTPChallenge", "ACMEIssuer.HTTPChallengeHandler", "LooksLikeHTTPChallenge"}},
		{"prompt on the terminal to accept the terms of service", []string{"ACMEIssuer.askUserAgreement"}},
		{"pick the certificate chain whose root has a preferred common name", []string{"ACMEIssuer.selectPreferredChain", "ChainPreference"}},
		{"certificate shown in the handshake for tls-alpn-01 validation", []string{"Config.getTLSALPNChallengeCert"}},
		{"attach an OCSP response, loading it from storage if it is still good", []string{"stapleOCSP"}},
		{"remove expired certificates from disk", []string{"deleteExpiredCerts", "CleanStorage"}},
		{"at most so many issuance requests in a time window", []string{"acmeClient.throttle", "RingBufferRateLimiter", "NewRateLimiter", "RingBufferRateLimiter.Wait", "RingBufferRateLimiter.Allow"}},
		{"private key was compromised, replace it", []string{"Config.moveCompromisedPrivateKey", "Config.forceRenew", "certShouldBeForceRenewed"}},
	},
	"bleve": { // github.com/blevesearch/bleve/v2 v2.4.2
		{"edit distance between two words, giving up above a maximum", []string{"LevenshteinDistanceMax", "LevenshteinDistanceMaxReuseSlice"}},
		{"kilometers between two points on the globe", []string{"Haversin"}},
		{"background goroutine that merges small segments", []string{"Scorch.mergerLoop", "Scorch.planMergeAtSnapshot"}},
		{"cut the text around matched terms into pieces for highlighting", []string{"Fragmenter.Fragment", "Fragmenter", "Highlighter.BestFragmentsInField"}},
		{"page backwards through results from a sort key", []string{"SearchRequest.SetSearchBefore"}},
		{"paths of term positions that make up a phrase, allowing slop", []string{"findPhrasePaths", "PhraseSearcher.checkCurrMustMatchField"}},
		{"keep the best hits in a heap of limited size", []string{"collectStoreHeap.AddNotExceedingSize", "collectStoreHeap", "TopNCollector", "newStoreHeap"}},
		{"parse a distance with its unit such as 5km", []string{"ParseDistance", "ParseDistanceUnit"}},
		{"which old snapshots are kept for rollback and which are deleted", []string{"Scorch.removeOldBoltSnapshots", "getProtectedSnapshots", "getTimeSeriesSnapshots"}},
		{"count documents per range of numbers for facets", []string{"NumericFacetBuilder.UpdateVisitor", "NumericFacetBuilder", "NumericFacetBuilder.AddRange", "NumericFacetBuilder.Result"}},
		{"tf idf score of one term in a document with an explanation", []string{"TermQueryScorer.Score"}},
		{"run one search over several indexes concurrently and combine the results", []string{"MultiSearch"}},
	},
	"rxjs": { // rxjs 7.8.1, its folder src
		{"emit a value only after a time of silence", []string{"debounceTime", "debounce"}},
		{"collect values into arrays until another observable notifies", []string{"buffer", "bufferToggle", "bufferWhen"}},
		{"throw an error nobody handles on a timeout so that it is not swallowed", []string{"reportUnhandledError"}},
		{"convert a promise, iterable or array to an observable internally", []string{"innerFrom", "from"}},
		{"read a marble diagram into messages with frames", []string{"TestScheduler.parseMarbles"}},
		{"late subscribers get the last values, within a window of time", []string{"ReplaySubject", "shareReplay", "ReplaySubject.next", "ReplaySubject._trimBuffer", "ReplaySubject._subscribe"}},
		{"run all finalizers on unsubscribe and gather their errors", []string{"Subscription.unsubscribe", "UnsubscriptionError"}},
		{"limit the number of active inner subscriptions and queue the rest", []string{"mergeInternals", "mergeMap"}},
		{"progress events of an upload by XMLHttpRequest", []string{"fromAjax", "ajax", "AjaxConfig", "AjaxResponse"}},
		{"resubscribe after an error, counting attempts and resetting on success", []string{"retry", "RetryConfig"}},
		{"drop a value that equals the one before", []string{"distinctUntilChanged", "distinctUntilKeyChanged"}},
		{"schedule work with requestAnimationFrame", []string{"AnimationFrameAction.requestAsyncId", "AnimationFrameAction", "AnimationFrameScheduler", "animationFrameScheduler", "animationFrame"}},
	},
}

// BenchmarkQuestions asks the questions about the repositories in HENCE_QUESTIONED, and in
// plain FTS5 over the sources of the same symbols: comment and declaration, any word of the
// question, with the stemmer and without.
func BenchmarkQuestions(b *testing.B) {
	folders := filepath.SplitList(os.Getenv("HENCE_QUESTIONED"))
	if len(folders) == 0 {
		b.Skip("HENCE_QUESTIONED names no folders; make bench ONLY=code-questions fetches them")
	}
	for b.Loop() {
		hits, all := map[string][3]int{}, 0
		for _, dir := range folders {
			all += askAbout(b, dir, hits)
		}
		for how, n := range hits {
			for i, k := range []int{1, 5, 10} {
				b.ReportMetric(float64(n[i])/float64(all), fmt.Sprintf("%s@%d", how, k))
			}
		}
		b.ReportMetric(float64(all), "questions")
	}
}

func askAbout(b *testing.B, dir string, hits map[string][3]int) int {
	name := filepath.Base(dir)
	into := code.Importer{DB: dbtest.New(b), Caller: ref.Caller{Actor: "bench", Origin: "person"}}
	if _, err := into.Mirror().Import(b.Context(), projection.ImportArgs{Dir: dir, Name: name}); err != nil {
		b.Fatal(err)
	}
	plain, known := indexSources(b, into, dir)
	add := func(how string, q asked, found []string) {
		place := slices.IndexFunc(found, func(name string) bool { return slices.Contains(q.answers, name) })
		n := hits[how]
		for i, k := range []int{1, 5, 10} {
			if place >= 0 && place < k {
				n[i]++
			}
		}
		hits[how] = n
		if os.Getenv("HENCE_VERBOSE") != "" {
			b.Logf("%s\t%d\t%s\t%s", how, place+1, q.question, strings.Join(found[:min(5, len(found))], " "))
		}
	}
	for _, q := range questionsAbout[name] {
		if !slices.ContainsFunc(q.answers, func(a string) bool { return known[a] }) {
			b.Fatalf("%s: none of %q is a symbol", name, q.answers)
		}
		got, err := recall.Searcher{DB: into.DB, Caller: into.Caller}.Search(b.Context(), recall.SearchArgs{Query: q.question, Kinds: []string{code.Kind}})
		if err != nil {
			b.Fatal(err)
		}
		found := []string{}
		for _, f := range got.Results {
			found = append(found, nameIn(f.URI))
		}
		add("hence", q, found)
		for _, table := range []string{"plain", "stemmed"} {
			add(table, q, plainly(b, plain, table, q.question))
		}
	}
	return len(questionsAbout[name])
}

// nameIn returns the name of a symbol in its uri, without a number.
func nameIn(uri string) string {
	_, name, _ := strings.Cut(uri, "#")
	name, _, _ = strings.Cut(name, "~")
	return name
}

// indexSources returns a database with the sources of the symbols of a repository in the tables
// plain and stemmed, and the names of the symbols.
func indexSources(b *testing.B, into code.Importer, dir string) (*sql.DB, map[string]bool) {
	plain, err := sql.Open("sqlite3", ":memory:")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = plain.Close() })
	plain.SetMaxOpenConns(1)
	insert := func(statement string, args ...any) {
		if _, err := plain.Exec(statement, args...); err != nil {
			b.Fatal(err)
		}
	}
	insert("create virtual table plain using fts5 (name unindexed, source)")
	insert("create virtual table stemmed using fts5 (name unindexed, source, tokenize = 'porter unicode61')")
	names, texts := map[string]bool{}, map[string]string{}
	err = db.Each(b.Context(), into.DB, func(row *sql.Rows) error {
		var uri, file string
		var line, end int
		if err := row.Scan(&uri, &file, &line, &end); err != nil {
			return err
		}
		if texts[file] == "" {
			text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(file)))
			if err != nil {
				return err
			}
			texts[file] = string(text)
		}
		names[nameIn(uri)] = true
		lines := strings.Split(texts[file], "\n")
		start := line - 1
		for start > 0 && isComment(lines[start-1]) {
			start--
		}
		source := strings.Join(lines[start:end], "\n")
		insert("insert into plain values (?, ?)", nameIn(uri), source)
		insert("insert into stemmed values (?, ?)", nameIn(uri), source)
		return nil
	}, `
select m.uri, f.path, s.start_line, s.end_line
from symbols s
join memories m on m.key = s.memory
join files f on f.memory = s.file
order by m.uri`)
	if err != nil {
		b.Fatal(err)
	}
	return plain, names
}

// isComment reports whether a line is a part of a comment, as far as its beginning tells.
func isComment(line string) bool {
	line = strings.TrimSpace(line)
	return strings.HasPrefix(line, "//") || strings.HasPrefix(line, "*") || strings.HasPrefix(line, "/*")
}

// plainly returns the ten best names by the bm25 of FTS5.
func plainly(b *testing.B, plain *sql.DB, table, question string) (names []string) {
	words := strings.FieldsFunc(question, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	rows, err := plain.Query("select name from "+table+" where "+table+" match ? order by rank, rowid limit 10", `"`+strings.Join(words, `" OR "`)+`"`)
	if err != nil {
		b.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			b.Fatal(err)
		}
		names = append(names, name)
	}
	return names
}
