package secret

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Cleaner takes secrets and private parts out of texts, and counts them.
type Cleaner struct {
	kinds   map[string]int
	private int
}

// Clean returns a text without what stands between <private> and </private>, and
// with a word such as "[secret: aws-key]" in the place of each secret.
func (c *Cleaner) Clean(text string) string {
	text, dropped := withoutPrivate(text)
	c.private += dropped
	return c.replace(text, Find(text))
}

func (c *Cleaner) replace(text string, secrets []Found) string {
	for _, f := range secrets {
		if c.kinds == nil {
			c.kinds = map[string]int{}
		}
		c.kinds[f.Kind]++
	}
	return replace(text, secrets)
}

// CleanIn cleans a text in its place; nil is left.
func (c *Cleaner) CleanIn(texts ...*string) {
	for _, text := range texts {
		if text != nil {
			*text = c.Clean(*text)
		}
	}
}

// CleanAll returns a list of cleaned texts. Its argument is not changed.
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

// CleanValue returns a value as package json decodes it with every text in it
// cleaned, the names of properties too. A text of a property whose name says that it
// is a secret, such as api_key, is looked at as an assignment of that name. The
// argument is not changed. Beyond 500 levels, which no memory may have, a value is
// returned as it is.
func (c *Cleaner) CleanValue(value any) any { return c.cleanValue("", value, 1) }

const maxDepth = 500 // of properties: see package memory

func (c *Cleaner) cleanValue(name string, value any, depth int) any {
	if depth > maxDepth {
		return value
	}
	switch v := value.(type) {
	case string:
		role := roleOf(name)
		if role != "" && !strings.ContainsAny(v, " \t\r\n") && len(v) <= maxValue && secretValue(role, name, v, '=', false) && len(Find(v)) == 0 {
			return c.replace(v, []Found{{role, 0, len(v)}})
		}
		return c.Clean(v)
	case []any:
		clean := make([]any, len(v))
		for i, one := range v {
			clean[i] = c.cleanValue(name, one, depth+1)
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

// Add counts what another cleaner has taken out.
func (c *Cleaner) Add(other *Cleaner) {
	for kind, n := range other.kinds {
		if c.kinds == nil {
			c.kinds = map[string]int{}
		}
		c.kinds[kind] += n
	}
	c.private += other.private
}

// Count returns how many secrets were found.
func (c *Cleaner) Count() (n int) {
	for _, number := range c.kinds {
		n += number
	}
	return n
}

// Warnings says what was taken out, in a sentence, or nothing.
func (c *Cleaner) Warnings() []string {
	parts := []string{}
	if n := c.Count(); n > 0 {
		parts = append(parts, fmt.Sprintf("%s replaced (%s)", plural(n, "secret was", "secrets were"), c.Kinds()))
	}
	if c.private > 0 {
		parts = append(parts, plural(c.private, "private part was", "private parts were")+" dropped")
	}
	if len(parts) == 0 {
		return nil
	}
	return []string{strings.Join(parts, ", ")}
}

// Kinds lists the kinds of secrets that were found, with their numbers above 1:
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

func plural(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}
