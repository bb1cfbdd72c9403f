package bind_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/scip-code/scip/bindings/go/scip"
	"google.golang.org/protobuf/proto"

	"hence/code/bind"
)

// indexed has a call of a class's method on a value of unknown type, and a call of a function
// of another package that has the name of a function in the repository.
const indexed = `
-- src/queue.ts --
export class Queue {
  take(n: number) { return n }
}
export function peek() {}
-- src/use.ts --
import { peek } from './queue'
export function use(q: any) {
  q.take(1)
  peek()
}
`

const (
	takeOfQueue = "scip-typescript npm p 1.0.0 src/`queue.ts`/Queue#take()."
	elsewhere   = "scip-typescript npm rxjs 7.0.0 `index.d.ts`/peek()."
)

// occurrence returns an occurrence of a name at a line and a range of characters, all from 0.
func occurrence(name string, definition bool, line, from, to int32) *scip.Occurrence {
	o := &scip.Occurrence{Symbol: name, TypedRange: &scip.Occurrence_SingleLineRange{
		SingleLineRange: &scip.SingleLineRange{Line: line, StartCharacter: from, EndCharacter: to},
	}}
	if definition {
		o.SymbolRoles = int32(scip.SymbolRole_Definition)
	}
	return o
}

// writeIndex returns an index of the files in indexed, in which the uses are line lines too
// low.
func writeIndex(t *testing.T, line int32) []byte {
	t.Helper()
	text, err := proto.Marshal(&scip.Index{Documents: []*scip.Document{
		{RelativePath: "src/queue.ts", Occurrences: []*scip.Occurrence{occurrence(takeOfQueue, true, 1, 2, 6)}},
		{RelativePath: "src/use.ts", Occurrences: []*scip.Occurrence{
			occurrence(takeOfQueue, false, 2+line, 4, 8),
			occurrence(elsewhere, false, 3+line, 2, 6),
		}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestAnIndexDecidesWhatCallsMean(t *testing.T) {
	const bySource = "src/use.ts#use calls src/queue.ts#peek by import"
	for _, c := range []struct {
		name  string
		index []byte
		want  []string
	}{
		{"without one, the evidence of the source", nil, []string{bySource}},
		{"a method of a value without a type, and not the name of a package elsewhere", writeIndex(t, 0), []string{"src/use.ts#use calls src/queue.ts#Queue.take by scip"}},
		{"of a file that has changed since, the evidence of the source", writeIndex(t, 5), []string{bySource}},
		{"an empty one, the evidence of the source", []byte{}, []string{bySource}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var index *bind.Index
			if c.index != nil {
				var err error
				if index, err = bind.ReadIndex(c.index); err != nil {
					t.Fatal(err)
				}
			}
			if got := bindLines(repository(indexed), index, "calls"); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestAnIndexThatIsNotOneIsRefused(t *testing.T) {
	if _, err := bind.ReadIndex([]byte("not an index")); err == nil || !strings.Contains(err.Error(), "not in the SCIP format") {
		t.Error(err)
	}
}

// FuzzReadIndex binds with any bytes as an index: every call leads to a declaration.
func FuzzReadIndex(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("\x12\x02\x0a\x00"))
	if text, err := proto.Marshal(&scip.Index{Documents: []*scip.Document{{RelativePath: "src/use.ts", Occurrences: []*scip.Occurrence{
		occurrence(takeOfQueue, false, 2, 4, 8), {Symbol: "local 1"}, occurrence(takeOfQueue, true, 1<<30, 0, -5),
	}}}}); err == nil {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		index, err := bind.ReadIndex(text)
		if err != nil {
			return
		}
		for _, line := range bindLines(repository(indexed), index, "calls") {
			if !strings.Contains(line, " calls src/queue.ts#") && !strings.Contains(line, " calls src/use.ts#") {
				t.Error(line)
			}
		}
	})
}
