package secret

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"hence/internal/plural"
)

// Cleaner removes secrets and private parts from texts, and counts them. Its zero value is
// ready to use.
type Cleaner struct {
	kinds   map[string]int // number of secrets replaced, by kind
	private int            // number of private parts removed
}

// Clean returns a text without the parts between <private> and </private>, and with each secret
// replaced by a word such as "[secret: aws-key]".
func (c *Cleaner) Clean(text string) string {
	text, dropped := withoutPrivate(text)
	c.private += dropped
	return c.replace(text, Find(text))
}

// replace replaces the given secrets of a text, and counts them.
func (c *Cleaner) replace(text string, secrets []Found) string {
	for _, f := range secrets {
		if c.kinds == nil {
			c.kinds = map[string]int{}
		}
		c.kinds[f.Kind]++
	}
	return replace(text, secrets)
}

// CleanInPlace cleans texts in place. It ignores nil pointers.
func (c *Cleaner) CleanInPlace(texts ...*string) {
	for _, text := range texts {
		if text != nil {
			*text = c.Clean(*text)
		}
	}
}

// CleanAll returns the cleaned texts, and does not change its argument.
func (c *Cleaner) CleanAll(texts []string) []string {
	if texts == nil {
		return nil
	}
	clean := make([]string, len(texts))
	for i, text := range texts {
		clean[i] = c.Clean(text)
	}
	return clean
}

// CleanValue returns a value decoded by package json with every text in it cleaned, the names
// of properties too. It treats the text of a property whose name is that of a secret, such as
// api_key, as an assignment to that name. It does not change its argument. It returns values
// below 500 levels, which no memory may have, unchanged.
func (c *Cleaner) CleanValue(value any) any { return c.cleanValue("", value, 1) }

const maxDepth = 500 // levels of properties: see package memory

func (c *Cleaner) cleanValue(name string, value any, depth int) any {
	if depth > maxDepth {
		return value
	}
	switch v := value.(type) {
	case string:
		role := roleOf(name)
		if role != "" && !strings.ContainsAny(v, " \t\r\n") && len(v) <= maxValue && isSecret(role, name, v, '=', false) && len(Find(v)) == 0 {
			return c.replace(v, []Found{{role, 0, len(v)}})
		}
		return c.Clean(v)
	case []any:
		clean := make([]any, len(v))
		for i, item := range v {
			clean[i] = c.cleanValue(name, item, depth+1)
		}
		return clean
	case map[string]any:
		clean := make(map[string]any, len(v))
		for _, name := range slices.Sorted(maps.Keys(v)) {
			clean[c.Clean(name)] = c.cleanValue(name, v[name], depth+1)
		}
		return clean
	}
	return value
}

// Count returns how many secrets were replaced.
func (c *Cleaner) Count() (n int) {
	for _, number := range c.kinds {
		n += number
	}
	return n
}

// Warnings returns a sentence that says what was removed, or nil if nothing was.
func (c *Cleaner) Warnings() []string {
	parts := []string{}
	if n := c.Count(); n > 0 {
		parts = append(parts, fmt.Sprintf("%s replaced (%s)", plural.Count(n, "secret was", "secrets were"), c.Kinds()))
	}
	if c.private > 0 {
		parts = append(parts, plural.Count(c.private, "private part was", "private parts were")+" dropped")
	}
	if len(parts) == 0 {
		return nil
	}
	return []string{strings.Join(parts, ", ")}
}

// Kinds returns the kinds of the secrets that were replaced, with their numbers if above 1:
// "aws-key, jwt ×2".
func (c *Cleaner) Kinds() string {
	words := []string{}
	for _, kind := range slices.Sorted(maps.Keys(c.kinds)) {
		if n := c.kinds[kind]; n > 1 {
			kind += fmt.Sprintf(" ×%d", n)
		}
		words = append(words, kind)
	}
	return strings.Join(words, ", ")
}
