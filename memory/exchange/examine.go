package exchange

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"hence/internal/fault"
)

// examinedBytes is about how much of a file one processor checks at a time.
const examinedBytes = 256 << 10

// lineRead is a line of the file before it is parsed.
type lineRead struct {
	n     int
	text  []byte
	wrong error // it cannot be read
}

// wrongLine is why a line is refused.
type wrongLine struct {
	n   int
	why error
}

// examination is the result of checking some lines.
type examination struct {
	mu       sync.Mutex  // guards the rest: lines are checked side by side
	lines    int         // that hold a memory or an edge
	foreign  int         // that are lines of the MCP memory server
	verified bool        // a memory has verifications
	wrong    []wrongLine // the first of them, at most maxWrong, in order
	total    int         // of the wrong lines
	secrets  secrets
}

// checkAll reads every line, and returns an error that names the wrong ones. Lines are parsed
// on all processors, because nothing can be written before all are read.
func (i *importer) checkAll(ctx context.Context, in io.Reader) error {
	var examined examination
	work := errgroup.Group{}
	work.SetLimit(runtime.GOMAXPROCS(0))
	lines, size, lastLine := []lineRead{}, 0, 0
	hand := func() {
		handed := lines
		work.Go(func() error {
			examined.add(i.reader.examine(handed))
			return nil
		})
		lines, size = nil, 0
	}
	err := i.each(ctx, in, func(n int, line []byte, read int64, wrong error) error {
		i.reportProgress(read)
		if len(line) > 0 {
			lastLine = n
		}
		lines, size = append(lines, lineRead{n, bytes.Clone(line), wrong}), size+len(line)
		if size >= examinedBytes {
			hand()
		}
		return nil
	})
	hand()
	_ = work.Wait() // which never fails
	i.done.Lines, i.verified = examined.lines, examined.verified
	i.done.Warnings = append(i.done.Warnings, examined.secrets.warnings()...)
	if i.broken != nil {
		examined.add(&examination{total: 1, wrong: []wrongLine{{lastLine + 1, i.broken}}})
	}
	if err != nil || examined.total == 0 {
		i.lenient = examined.isForeign()
		return err
	}
	if i.lenient = examined.isForeign(); !i.lenient {
		return i.refusal(&examined)
	}
	for _, line := range examined.wrong[:min(len(examined.wrong), maxSaid)] {
		i.leftOut.add("line %d was left out: %v", line.n, line.why)
	}
	i.leftOut.total = examined.total
	return nil
}

// isForeign reports whether the file is one of the MCP memory server.
func (e *examination) isForeign() bool { return e.foreign > 0 && e.foreign == e.lines }

// examine parses lines.
func (r reader) examine(lines []lineRead) *examination {
	examined := &examination{}
	r.secrets = &examined.secrets
	for _, line := range lines {
		rec, err := record{}, line.wrong
		if err == nil {
			rec, err = r.read(line.text)
		}
		if err == nil && (rec.memory != nil || rec.edge != nil) {
			examined.lines++
		}
		if err == nil && rec.foreign {
			examined.foreign++
		}
		if rec.memory != nil && len(rec.memory.Verifications) > 0 {
			examined.verified = true
		}
		if err == nil {
			continue
		}
		if examined.total++; examined.total <= maxWrong {
			examined.wrong = append(examined.wrong, wrongLine{line.n, err})
		}
	}
	return examined
}

// add merges the results of other lines into these.
func (e *examination) add(other *examination) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.lines += other.lines
	e.foreign += other.foreign
	e.verified = e.verified || other.verified
	e.total += other.total
	e.secrets.replaced.Add(&other.secrets.replaced)
	e.secrets.kept.Add(&other.secrets.kept)
	e.wrong = append(e.wrong, other.wrong...)
	slices.SortFunc(e.wrong, func(a, b wrongLine) int { return cmp.Compare(a.n, b.n) })
	e.wrong = e.wrong[:min(len(e.wrong), maxWrong)]
}

// refusal returns the error that names the wrong lines.
func (i *importer) refusal(examined *examination) error {
	reasons, numbers := []string{}, []int{}
	for at, line := range examined.wrong {
		if at < maxSaid {
			reasons = append(reasons, fmt.Sprintf("line %d: %v", line.n, line.why))
		}
		numbers = append(numbers, line.n)
	}
	if examined.total > maxSaid {
		reasons = append(reasons, fmt.Sprintf("and %d more", examined.total-maxSaid))
	}
	if i.done.Lines == 0 {
		reasons = append(reasons, "expected one JSON object per line; to import notes, pass their folder")
	}
	return fault.New(fault.InvalidArgument, "import %s: nothing was imported; %s", i.name, strings.Join(reasons, "; ")).With("lines", numbers)
}
