package ref

import (
	"path/filepath"
	"slices"
	"strings"

	"hence/internal/db"
	"hence/internal/lists"
	"hence/internal/script"
)

// ProjectPrefix is the prefix of the tags that name a project.
const ProjectPrefix = "project/"

// projectTags returns the tags of the memories of the caller's project, such as project/hence,
// the one for new memories first; none if the caller has no project.
func (c Caller) projectTags() (tags []string) {
	for _, project := range []string{c.Project, c.SharesProject} {
		if project != "" && c.Project != "" {
			tags = append(tags, ProjectPrefix+project)
		}
	}
	return tags
}

// isOwn reports whether a tag names the caller's project or a project within it, such as
// hence/docs in hence.
func (c Caller) isOwn(tag string) bool {
	return slices.ContainsFunc(c.projectTags(), func(own string) bool {
		rest, ok := cutPrefixFold(tag, own)
		return ok && (rest == "" || rest[0] == '/')
	})
}

// AddProject returns the tags of a new memory of the caller: with that of its project, unless
// they name it already.
func (c Caller) AddProject(tags []string) []string {
	if c.Project == "" || slices.ContainsFunc(tags, c.isOwn) {
		return tags
	}
	return slices.Concat(tags, c.projectTags()[:1])
}

// ForeignProject returns the first project that the tags name, if they name only projects other
// than the caller's; else "".
func (c Caller) ForeignProject(tags []string) (project string) {
	for _, tag := range tags {
		switch name, ok := cutPrefixFold(tag, ProjectPrefix); {
		case c.isOwn(tag):
			return ""
		case ok && project == "":
			project = name
		}
	}
	return project
}

// cutPrefixFold is strings.CutPrefix regardless of case.
func cutPrefixFold(text, prefix string) (rest string, ok bool) {
	if len(text) < len(prefix) || !strings.EqualFold(text[:len(prefix)], prefix) {
		return text, false
	}
	return text[len(prefix):], true
}

// Own describes the caller's project for the parameters of Nearness and Concerns.
func (c Caller) Own() string {
	own := map[string]any{}
	if tags := c.projectTags(); len(tags) > 0 {
		own["tags"], own["patterns"] = tags, lists.Map(tags, script.Glob)
		if c.Folder != "" {
			own["folder"] = strings.TrimSuffix(c.Folder, string(filepath.Separator)) + string(filepath.Separator)
		}
	}
	return db.List(own)
}

// IsOfFile is an SQL condition: a file of a folder holds the memory m, or a symbol of one.
const IsOfFile = `(exists (select 1 from files where memory = m.key) or exists (select 1 from symbols where memory = m.key))`

// HasTag is an SQL condition: the memory m has a tag that wanted.value, a pattern by script.Glob,
// fits, or one nested in it.
const HasTag = `exists (
      select 1
      from json_each(m.tags) has
      where has.value glob wanted.value
        or has.value glob wanted.value || '/*'
    )`

// Conditions on a memory m: it belongs to a project, and to the one of Caller.Own. The text of its tags is looked at
// first, which takes a fraction of the time: only one with a backslash may say in other letters what it holds, and only
// one that has a tag's beginning may have one nested in it.
const (
	hasProject = `(m.tags <> '[]' and iif(
      instr(m.tags, '\') = 0,
      instr(lower(m.tags), '"project/') > 0,
      exists (
        select 1
        from json_each(m.tags) has
        where lower(has.value) glob 'project/*'
      )
    ))`
	hasOwnProject = `(m.tags <> '[]' and (
      instr(lower(m.tags), lower({own} -> '$.tags[0]')) > 0
      or (
        instr(lower(m.tags), rtrim(lower({own} -> '$.tags[0]'), '"')) > 0
        or instr(m.tags, '\') > 0
        or {own} -> '$.tags[1]' is not null
      )
      and exists (
        select 1
        from json_each({own}, '$.patterns') wanted
        where ` + HasTag + `
      )
    ))`
)

// The results of Nearness. Memories with a smaller one come first.
const (
	OfProject      = iota // the memory belongs to the caller's project, or the caller has none
	OfNoProject           // the memory belongs to no project
	OfOtherProject        // the memory belongs only to other projects
)

// Nearness returns the SQL expression for how near a memory m is to the caller's project, for a
// parameter that is Caller.Own. A project contains its subprojects.
func Nearness(own string) string {
	return strings.ReplaceAll(`case
    when {own} = '{}' then 0
    when `+hasOwnProject+` then 0
    when `+hasProject+` then 2
    else 1
  end`, "{own}", own)
}

// Belongs returns the SQL condition that a memory m belongs to the caller's project; to none, if
// the caller has none. The parameter is Caller.Own.
func Belongs(own string) string {
	return strings.ReplaceAll("iif({own} = '{}', not "+hasProject+", "+hasOwnProject+")", "{own}", own)
}

// IsForAll is the SQL condition that a person said of a memory m that it is for all projects. The mark of
// a stranger's text, which came with an import, does not count.
const IsForAll = `m.everywhere = 1 and m.own_rank >= 4`

// Concerns returns the SQL condition that a memory m is told without being asked for, in a
// briefing, for a prompt or an action: it belongs to the caller's project, as does a note of the
// project's folder, or it is for all projects: because a person said so, as a person's rule without a
// project, or as a rule of an agent's own files for all projects. The parameter is Caller.Own.
func Concerns(own string) string {
	return strings.ReplaceAll(`(
    `+IsForAll+`
    or `+Belongs(own)+`
    or m.own_rank >= iif(m.uri glob '`+AgentsScheme+`://*', 4, 5) and not `+hasProject+` and m.is_rule = 1
    or m.uri is not null and {own} <> '{}' and exists (
      select 1
      from files f
      cross join mirrors v on v.key = f.mirror
      where f.memory = m.key
        and substr(v.root || substr({own} ->> '$.folder', -1), 1, length({own} ->> '$.folder')) = {own} ->> '$.folder'
    )
  )`, "{own}", own)
}
