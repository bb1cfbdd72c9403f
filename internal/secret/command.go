package secret

import (
	"regexp"

	"hence/internal/pattern"
)

// inCommand matches a value in a command: up to the end of its quotes, or to a space.
const inCommand = `(?:"((?:[^"\\\n]|\\.)+)"|'([^'\n]+)'|["']?([^\s"']+))`

// inCommands are the places where a command has a secret whatever it looks like: the value of a
// flag, a variable or a header with the name of a secret, and what follows the -p of programs that
// take a password there. The group that matched is the value.
var inCommands = []func() *regexp.Regexp{
	pattern.Lazy(`(?i)(?:^|\s)--?[\w-]*(?:password|passwd|token|secret|api-?key|access-?key)[= ]` + inCommand),
	pattern.Lazy(`(?i)(?:^|[\s;&|("'])\w*(?:secret|token|password|passwd|api_?key|access_?key)\w*=` + inCommand),
	pattern.Lazy(`(?i)[\w-]*(?:api-key|token|secret|password)["']?:\s*` + inCommand),
	pattern.Lazy(`\b(?:mysql|mysqldump|mysqladmin|mariadb)\b[^|;&]*?\s-p` + inCommand),
	pattern.Lazy(`\bsshpass\s+-p\s*` + inCommand),
}

// findInCommand returns the parts of a command that look like secrets, or stand where one does.
func findInCommand(command string) []Found {
	secrets := Find(command)
	for _, expression := range inCommands {
		for _, at := range expression().FindAllStringSubmatchIndex(command, -1) {
			f := Found{"password", max(at[2], at[4], at[6]), max(at[3], at[5], at[7])} // the other groups are at -1
			if !isReference(command[f.Start:f.End]) {
				secrets = append(secrets, f)
			}
		}
	}
	return join(secrets)
}

// CleanCommand is Clean for a command, in which people type secrets of any form.
func (c *Cleaner) CleanCommand(command string) string {
	command, dropped := withoutPrivate(command)
	c.private += dropped
	return c.replace(command, findInCommand(command))
}
