package embed

import (
	"testing"

	"hence/internal/fault"
)

func TestOpen_Refuses(t *testing.T) {
	for name, want := range map[string]fault.Code{
		"":                      fault.InvalidArgument,
		"bulitin":               fault.InvalidArgument,
		"static:":               fault.InvalidArgument,
		"openai:http://x":       fault.InvalidArgument,
		"openai:ftp://x,m":      fault.InvalidArgument,
		"static:/models/potion": fault.InvalidArgument,
	} {
		if _, err := Open(name); fault.CodeOf(err) != want {
			t.Errorf("Open(%q): %v, want %s", name, err, want)
		}
	}
}
