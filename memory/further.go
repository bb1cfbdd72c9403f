package memory

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"hence/internal/db"
	"hence/internal/script"
)

const (
	maxPropertyText = 2000  // bytes of a property's text that are indexed
	maxPropertyAll  = 20000 // of all properties of a memory
)

// PropertyText is a text in the properties of a memory.
type PropertyText struct{ Name, Text string }

// saysNothing matches the texts of properties by which nobody searches: dates, numbers, ids,
// addresses.
var saysNothing = regexp.MustCompile(`^(?:[-\d.,:/+TZ% ]*|[a-z][a-z0-9+.-]*://\S*|www\.\S+|\S+@\S+\.\S+|(?:[0-9a-fA-F]{6,}-?)+[0-9a-fA-F]*)$`)

// PropertyTexts returns the texts in properties: names, sentences and lists of them, by the
// names of the properties.
func PropertyTexts(properties db.Properties) (texts []PropertyText) {
	left := maxPropertyAll
	var read func(name string, value any, depth int)
	read = func(name string, value any, depth int) {
		switch v := value.(type) {
		case string:
			text := strings.NewReplacer("[[", "", "]]", "", "|", " ").Replace(strings.TrimSpace(v))
			if left -= len(text); left >= 0 && len(text) <= maxPropertyText && !saysNothing.MatchString(text) {
				texts = append(texts, PropertyText{name, text})
			}
		case []any:
			for _, one := range v {
				read(name, one, depth+1)
			}
		case map[string]any:
			if depth > MaxDepth {
				return
			}
			for _, inner := range slices.Sorted(maps.Keys(v)) {
				read(inner, v[inner], depth+1)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		switch strings.ToLower(name) {
		case "id", "uid", "uuid", "tag", "tags", "alias", "aliases", "cssclass", "cssclasses":
			continue
		}
		read(name, properties[name], 1)
	}
	return texts
}

// furtherWords returns the words that a section is found by beside its own, for the column words
// of the index: see script.Further. Those of properties are indexed with the first section,
// unless its text has them.
func furtherWords(ordinal int, title, heading, aliases, tags, body, properties string) string {
	if ordinal > 0 {
		return script.Further(heading, body)
	}
	parts := []string{script.Further(title, heading, aliases, tags, body)}
	read := db.Properties{}
	if properties != "{}" && json.Unmarshal([]byte(properties), &read) == nil {
		for _, p := range PropertyTexts(read) {
			if p.Text != title && !strings.Contains(body, p.Text) {
				parts = append(parts, script.Cut(p.Text), script.Further(p.Text))
			}
		}
	}
	return strings.TrimSpace(strings.Join(parts, "\n"))
}
