package syntax_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/code/syntax"
)

// What package bind gets of each sample is that of its golden.
func TestPlacesOfEachLanguage(t *testing.T) {
	for _, c := range samples {
		t.Run(c.path, func(t *testing.T) {
			_, places := syntax.Read(c.path, []byte(c.text))
			golden := filepath.Join("testdata", filepath.Base(c.path)+".places.golden")
			got := textOfPlaces(places)
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func textOfPlaces(p *syntax.Places) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s space=%q\n", p.Language, p.Space)
	for _, name := range slices.Sorted(maps.Keys(p.Names)) {
		fmt.Fprintf(&b, "name %s: %s\n", name, textOfExpr(p.Names[name], 4))
	}
	for _, name := range slices.Sorted(maps.Keys(p.Exports)) {
		fmt.Fprintf(&b, "export %s: %s\n", name, textOfExpr(p.Exports[name], 4))
	}
	fmt.Fprintf(&b, "stars%s\nagain%s\n", textOfExprs(p.Stars), textOfExprs(p.Again))
	for _, i := range p.Imports {
		fmt.Fprintf(&b, "line %d, %d–%d: import %s %s: %s\n", i.Line, i.Start, i.End, i.From, i.Name, textOfExpr(i.Of, 4))
	}
	for _, name := range slices.Sorted(maps.Keys(p.Classes)) {
		c := p.Classes[name]
		fmt.Fprintf(&b, "class %s of=%s alias=%s holds=%s object=%v at=%s order=%q\n", name, textOfExpr(c.Of, 4), textOfExpr(c.Alias, 4), textOfExpr(c.Holds, 4), c.Object, textOfSpot(c.At), c.Order)
		for _, parent := range c.Parents {
			fmt.Fprintf(&b, "\tparent %s %s\n", parent.Rel, textOfExpr(parent.Type, 4))
		}
		for _, member := range slices.Sorted(maps.Keys(c.Members)) {
			fmt.Fprintf(&b, "\tmember %s: %s\n", member, textOfExpr(c.Members[member], 4))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.Funcs)) {
		f := p.Funcs[name]
		fmt.Fprintf(&b, "function %s: %s %d–%d property=%v local=%v bodiless=%v\n", name, textOfExpr(f.Result, 4), f.Least, f.Most, f.Property, f.Local, f.Bodiless)
		for _, types := range f.Takes {
			fmt.Fprintf(&b, "\ttakes%s\n", textOfExprs(types))
		}
	}
	for _, c := range p.Calls {
		fmt.Fprintf(&b, "%s: %q calls %s with %d new=%v\n", textOfSpot(c.Spot), c.From, textOfExpr(c.Callee, 4), c.Args, c.New)
	}
	for _, u := range p.Uses {
		fmt.Fprintf(&b, "%s: %q uses %s\n", textOfSpot(u.Spot), u.From, textOfExpr(u.Of, 4))
	}
	for _, name := range slices.Sorted(maps.Keys(p.Spots)) {
		fmt.Fprintf(&b, "name of %s:", name)
		for _, spot := range p.Spots[name] {
			b.WriteString(" " + textOfSpot(spot))
		}
		b.WriteString("\n")
	}
	return b.String()
}

func textOfSpot(s syntax.Spot) string {
	return fmt.Sprintf("%d:%d+%d (%d–%d)", s.Line, s.Column, s.Width, s.Start, s.End)
}

func textOfExprs(all []*syntax.Expr) (text string) {
	for _, e := range all {
		text += " " + textOfExpr(e, 4)
	}
	return text
}

var ops = strings.Fields("unknown name declared imported self super member result value element await at shape lambda handed any first extern case")

// textOfExpr writes a value down to a depth.
func textOfExpr(e *syntax.Expr, depth int) string {
	if e == nil || e.Op == syntax.Unknown {
		return "?"
	}
	if depth == 0 {
		return "…"
	}
	text := strings.TrimSpace(ops[e.Op] + " " + e.From)
	if e.Name != "" {
		text += " " + e.Name
	}
	if e.Op == syntax.Handed {
		text += fmt.Sprintf(" %d.%d", e.First, e.Second)
	}
	parts := []string{}
	if e.Of != nil {
		parts = append(parts, textOfExpr(e.Of, depth-1))
	}
	for _, arg := range e.Args {
		parts = append(parts, textOfExpr(arg, depth-1))
	}
	for _, name := range slices.Sorted(maps.Keys(e.Fields)) {
		parts = append(parts, name+": "+textOfExpr(e.Fields[name], depth-1))
	}
	return text + "(" + strings.Join(parts, ", ") + ")"
}
