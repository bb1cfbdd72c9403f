package ref

import "strings"

// projectPrefix is the prefix of the tags that name a project.
const projectPrefix = "project/"

// ProjectTag returns the tag of the memories of the caller's project, such as project/hence;
// "" if the caller has no project.
func (c Caller) ProjectTag() string {
	if c.Project == "" {
		return ""
	}
	return projectPrefix + c.Project
}

// The results of Nearness. Memories with a smaller one come first.
const (
	OfProject      = iota // the memory belongs to the caller's project, or the caller has none
	OfNoProject           // the memory belongs to no project
	OfOtherProject        // the memory belongs only to other projects
)

// Nearness returns how near a memory with the given tags is to the caller's project. A
// project contains its subprojects, such as hence/docs in hence.
func (c Caller) Nearness(tags []string) int {
	if c.Project == "" {
		return OfProject
	}
	nearness := OfNoProject
	for _, tag := range tags {
		project, ok := cutPrefixFold(tag, projectPrefix)
		if !ok {
			continue
		}
		for _, own := range []string{c.Project, c.SharesProject} {
			if rest, ok := cutPrefixFold(project, own); own != "" && ok && (rest == "" || rest[0] == '/') {
				return OfProject
			}
		}
		nearness = OfOtherProject
	}
	return nearness
}

// ForeignProject returns the first project that the tags name, if they name only projects other
// than the caller's; else "".
func (c Caller) ForeignProject(tags []string) string {
	if c.Nearness(tags) != OfOtherProject {
		return ""
	}
	for _, tag := range tags {
		if project, ok := cutPrefixFold(tag, projectPrefix); ok {
			return project
		}
	}
	return ""
}

// cutPrefixFold is strings.CutPrefix regardless of case.
func cutPrefixFold(text, prefix string) (rest string, ok bool) {
	if len(text) < len(prefix) || !strings.EqualFold(text[:len(prefix)], prefix) {
		return text, false
	}
	return text[len(prefix):], true
}
