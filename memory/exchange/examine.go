package exchange

import (
	"context"
	"fmt"
	"io"
	"strings"

	"hence/internal/fault"
)

// wrongLine is why a line is refused.
type wrongLine struct {
	n   int
	why error
}

// examination is the result of checking some lines.
type examination struct {
	lines    int         // that hold a memory or an edge
	foreign  int         // that are lines of the MCP memory server
	verified bool        // a memory has verifications
	wrong    []wrongLine // the first of them, at most maxWrong, in order
	total    int         // of the wrong lines
	secrets  secrets
}

// checkAll reads every line, and returns an error that names the wrong ones.
func (i *importer) checkAll(ctx context.Context, in io.Reader) error {
	examined, lastLine := examination{}, 0
	r := i.reader
	r.secrets = &examined.secrets
	err := i.each(ctx, in, func(n int, line []byte, read int64, wrong error) error {
		i.reportProgress(read)
		if len(line) > 0 {
			lastLine = n
		}
		rec := record{}
		if wrong == nil {
			rec, wrong = r.read(line)
		}
		examined.add(n, rec, wrong)
		return nil
	})
	i.done.Lines, i.verified = examined.lines, examined.verified
	i.done.Warnings = append(i.done.Warnings, examined.secrets.warnings()...)
	if i.broken != nil {
		examined.add(lastLine+1, record{}, i.broken)
	}
	i.lenient = examined.isForeign()
	switch {
	case err != nil || examined.total == 0:
		return err
	case !i.lenient:
		return examined.refusal(i.name)
	}
	for _, line := range examined.wrong[:min(len(examined.wrong), maxSaid)] {
		i.leftOut.add("line %d was left out: %v", line.n, line.why)
	}
	i.leftOut.total = examined.total
	return nil
}

// isForeign reports whether the file is one of the MCP memory server.
func (e *examination) isForeign() bool { return e.foreign > 0 && e.foreign == e.lines }

// add counts a line, which is refused if wrong is not nil.
func (e *examination) add(n int, rec record, wrong error) {
	if wrong != nil {
		if e.total++; e.total <= maxWrong {
			e.wrong = append(e.wrong, wrongLine{n, wrong})
		}
		return
	}
	if rec.memory != nil || rec.edge != nil {
		e.lines++
	}
	if rec.foreign {
		e.foreign++
	}
	e.verified = e.verified || rec.memory != nil && len(rec.memory.Verifications) > 0
}

// refusal returns the error that names the wrong lines.
func (examined *examination) refusal(name string) error {
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
	if examined.lines == 0 {
		reasons = append(reasons, "expected one JSON object per line; to import notes, pass their folder")
	}
	return fault.New(fault.InvalidArgument, "import %s: nothing was imported; %s", name, strings.Join(reasons, "; ")).With("lines", numbers)
}
