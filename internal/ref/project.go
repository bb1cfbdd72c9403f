package ref

import "strings"

// projects begins the tags of what belongs to a project.
const projects = "project/"

// ProjectTag returns the tag of what belongs to the caller's project, such as
// project/hence; "" if the caller has none.
func (c Caller) ProjectTag() string {
	if c.Project == "" {
		return ""
	}
	return projects + c.Project
}

// How near a memory is to the project of a caller. What is nearer comes first.
const (
	OfProject      = iota // or the caller has no project
	OfNoProject           // the memory has none
	OfOtherProject        // it has others only
)

// Nearness returns how near a memory with some tags is to the caller's project.
func (c Caller) Nearness(tags []string) int {
	if c.Project == "" {
		return OfProject
	}
	nearness := OfNoProject
	for _, tag := range tags {
		project, ok := cutPrefixFold(tag, projects)
		if !ok {
			continue
		}
		if rest, is := cutPrefixFold(project, c.Project); is && (rest == "" || rest[0] == '/') {
			return OfProject
		}
		nearness = OfOtherProject
	}
	return nearness
}

// ForeignProject returns the first project that the tags name, if the caller has
// another; else "".
func (c Caller) ForeignProject(tags []string) string {
	if c.Nearness(tags) != OfOtherProject {
		return ""
	}
	for _, tag := range tags {
		if project, ok := cutPrefixFold(tag, projects); ok {
			return project
		}
	}
	return ""
}

func cutPrefixFold(text, prefix string) (rest string, ok bool) {
	if len(text) < len(prefix) || !strings.EqualFold(text[:len(prefix)], prefix) {
		return text, false
	}
	return text[len(prefix):], true
}
