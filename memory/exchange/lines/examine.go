package lines

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

// Examined is the result of checking some lines.
type Examined struct {
	lines    int         // that hold a memory or an edge
	foreign  int         // that are lines of the MCP memory server
	verified bool        // a memory has verifications
	wrong    []wrongLine // the first of them, at most maxWrong, in order
	Total    int         // of the wrong lines
	Secrets  secrets
}

// checkAll reads every line, and returns an error that names the wrong ones.
func (i *importer) checkAll(ctx context.Context, in io.Reader) error {
	examined, lastLine := Examined{}, 0
	r := i.reader
	r.Secrets = &examined.Secrets
	err := i.each(ctx, in, func(n int, line []byte, read int64, wrong error) error {
		i.reportProgress(read)
		if len(line) > 0 {
			lastLine = n
		}
		rec := Line{}
		if wrong == nil {
			rec, wrong = r.Read(line)
		}
		switch examined.Add(n, rec, wrong); {
		case rec.Memory != nil:
			i.types = append(i.types, isMemory)
		case rec.Edge != nil:
			i.types = append(i.types, isEdge)
		default:
			i.types = append(i.types, isOther)
		}
		return nil
	})
	i.done.Lines, i.verified = examined.lines, examined.verified
	i.done.Warnings = append(i.done.Warnings, examined.Secrets.Warnings()...)
	if i.broken != nil {
		examined.Add(lastLine+1, Line{}, i.broken)
	}
	i.lenient = examined.isForeign()
	switch {
	case err != nil || examined.Total == 0:
		return err
	case !i.lenient:
		return examined.Refusal(i.name)
	}
	for _, line := range examined.wrong[:min(len(examined.wrong), MaxSaid)] {
		i.leftOut.Add("line %d was left out: %v", line.n, line.why)
	}
	i.leftOut.total = examined.Total
	return nil
}

// isForeign reports whether the file is one of the MCP memory server.
func (e *Examined) isForeign() bool { return e.foreign > 0 && e.foreign == e.lines }

// Add counts a line, which is refused if wrong is not nil.
func (e *Examined) Add(n int, rec Line, wrong error) {
	if wrong != nil {
		if e.Total++; e.Total <= maxWrong {
			e.wrong = append(e.wrong, wrongLine{n, wrong})
		}
		return
	}
	if rec.Memory != nil || rec.Edge != nil {
		e.lines++
	}
	if rec.Foreign {
		e.foreign++
	}
	e.verified = e.verified || rec.Memory != nil && len(rec.Memory.Verifications) > 0
}

// Refusal returns the error that names the wrong lines.
func (examined *Examined) Refusal(name string) error {
	reasons, numbers := []string{}, []int{}
	for at, line := range examined.wrong {
		if at < MaxSaid {
			reasons = append(reasons, fmt.Sprintf("line %d: %v", line.n, line.why))
		}
		numbers = append(numbers, line.n)
	}
	if examined.Total > MaxSaid {
		reasons = append(reasons, fmt.Sprintf("and %d more", examined.Total-MaxSaid))
	}
	if examined.lines == 0 {
		reasons = append(reasons, "expected one JSON object per line; to import notes, pass their folder")
	}
	return fault.New(fault.InvalidArgument, "import %s: nothing was imported; %s", name, strings.Join(reasons, "; ")).With("lines", numbers)
}
