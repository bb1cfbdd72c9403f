package show

import (
	"strings"

	"hence/memory/briefing"
)

// Briefing shows what an agent should know when it begins.
func Briefing(r briefing.Result) Doc {
	text := strings.TrimSuffix(r.Text(), "\n")
	if text == "" {
		text = "Hence remembers nothing yet. memory_store keeps what is worth knowing in the next conversation."
	}
	return Doc{Content(text)}
}
