package memory

import (
	"context"
	"database/sql"
	"maps"
	"slices"
	"strings"

	"hence/internal/db"
	"hence/internal/secret"
)

// WithoutSecrets returns the arguments with secrets and private parts taken out of
// every text that is stored, and the warnings that say so. The caller's own texts
// are not changed.
func (a StoreArgs) WithoutSecrets() (StoreArgs, []string) {
	var c secret.Cleaner
	a.Content, a.Title, a.Reason = c.Clean(a.Content), cleanCopy(&c, a.Title), c.Clean(a.Reason)
	c.CleanInPlace(&a.Kind, &a.Namespace, &a.SourceURL)
	a.Tags = c.CleanAll(a.Tags)
	a.Properties = cleanProperties(&c, a.Properties)
	a.Links = slices.Clone(a.Links)
	for i := range a.Links {
		c.CleanInPlace(&a.Links[i].Rel, &a.Links[i].Note)
	}
	return a, c.Warnings()
}

// withoutSecrets does the same as StoreArgs.WithoutSecrets for a change.
func (a UpdateArgs) withoutSecrets() (UpdateArgs, []string) {
	var c secret.Cleaner
	a.Title, a.Content, a.Kind = cleanCopy(&c, a.Title), cleanCopy(&c, a.Content), cleanCopy(&c, a.Kind)
	if a.Tags != nil {
		a.Tags = new(c.CleanAll(*a.Tags))
	}
	a.Properties = cleanProperties(&c, a.Properties)
	return a, append([]string{}, c.Warnings()...)
}

func cleanCopy(c *secret.Cleaner, text *string) *string {
	if text == nil {
		return nil
	}
	return new(c.Clean(*text))
}

func cleanProperties(c *secret.Cleaner, properties db.Properties) db.Properties {
	if properties == nil {
		return nil
	}
	return c.CleanValue(map[string]any(properties)).(map[string]any)
}

// SecretPlace is where a memory has what looks like a secret.
type SecretPlace struct {
	ID    string // of the memory
	Title string // masked
	Trust string // see ref.Named
	URI   string
	Path  string // of a note in its vault
	Line  int    // of the note's file, else of the content; of a property 0, of a note's property 1
	Text  string // the text around the secret on its line, with its kind in its place
}

// Secrets finds what looks like a secret in the properties and the content of
// memories that are not forgotten, in the order of path, id and line. With a vault's
// key above 0 it looks at the notes of that vault, else at all memories of the
// namespace, "" for all. It returns at most limit places, 0 for all; total counts
// all.
func Secrets(ctx context.Context, r *db.Reader, namespace string, vault int64, limit int) (places []SecretPlace, total int, err error) {
	places = []SecretPlace{}
	err = db.Each(ctx, r, func(row *sql.Rows) error {
		var p SecretPlace
		var content, properties string
		var first int // line of the file on which the text begins
		if err := row.Scan(&p.ID, &p.Title, &p.URI, &p.Path, &content, &properties, &first); err != nil {
			return err
		}
		more, err := p.inProperties(properties)
		if err != nil {
			return err
		}
		more = append(more, p.inContent(content, first)...)
		total += len(more)
		if limit > 0 {
			more = more[:min(len(more), limit-len(places))]
		}
		places = append(places, more...)
		return nil
	}, `
select
  m.id,
  m.title,
  coalesce(m.uri, ''),
  coalesce(f.path, ''),
  m.content,
  m.properties,
  coalesce(s.start_line, 0)
from memories m
left join files f on f.memory = m.key
left join sections s on s.memory = m.key and s.ordinal = 0
where m.status <> 'forgotten'
  and ?1 in ('', m.namespace)
  and ?2 in (0, f.mirror)
order by f.path, m.id`, namespace, vault)
	return places, total, err
}

func (p SecretPlace) inProperties(text string) (places []SecretPlace, err error) {
	if len(secret.Find(text)) == 0 {
		return nil, nil
	}
	var properties db.Properties
	if err := db.ReadColumn(p.ID, "properties", text, &properties); err != nil {
		return nil, err
	}
	if p.Title = secret.Mask(p.Title); p.Path != "" {
		p.Line = 1
	}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		var c secret.Cleaner
		c.CleanValue(map[string]any{name: properties[name]})
		if c.Count() > 0 {
			p.Text = ShortTitle(secret.Mask(name) + ": [secret: " + c.Kinds() + "]")
			places = append(places, p)
		}
	}
	return places, nil
}

// inContent finds the secrets of a text. first is the line of the file on which its first
// line that is not blank stands, 0 if it is of no file.
func (p SecretPlace) inContent(content string, first int) (places []SecretPlace) {
	secrets := secret.Find(content)
	if len(secrets) == 0 {
		return nil
	}
	p.Title = secret.Mask(p.Title)
	line := 1
	if first > 0 {
		blank := content[:len(content)-len(strings.TrimLeft(content, " \t\r\n"))]
		line = first - strings.Count(blank, "\n")
	}
	counted := 0
	for i, f := range secrets {
		line += strings.Count(content[counted:f.Start], "\n")
		counted = f.Start
		p.Line, p.Text = line, surroundings(content, secrets, i)
		places = append(places, p)
	}
	return places
}

// besides is how much of a line is shown before and after a secret, in bytes.
const besides = 40

// surroundings returns the i-th secret as its kind, with the text before and after it on its
// line, up to the next secret.
func surroundings(content string, secrets []secret.Found, i int) string {
	f, from, to := secrets[i], 0, len(content)
	if i > 0 {
		from = secrets[i-1].End
	}
	if i+1 < len(secrets) {
		to = secrets[i+1].Start
	}
	before := content[max(from, f.Start-besides):f.Start]
	before = before[strings.LastIndexByte(before, '\n')+1:]
	after, _, _ := strings.Cut(content[f.End:min(to, f.End+besides)], "\n")
	return ShortTitle(strings.ToValidUTF8(before, "") + "[secret: " + f.Kind + "]" + strings.ToValidUTF8(after, ""))
}
