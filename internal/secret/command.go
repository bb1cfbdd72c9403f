package secret

import (
	"regexp"

	"hence/internal/pattern"
)

// inCommands are the places where a command has a secret whatever it looks like: the value of a
// flag, a variable or a header with the name of a secret, and what follows the -p of programs that
// take a password there. The first group is the value.
var inCommands = []func() *regexp.Regexp{
	pattern.Lazy(`(?i)(?:^|\s)--?[\w-]*(?:password|passwd|token|secret|api-?key|access-?key)[= ]["']?([^\s"']+)`),
	pattern.Lazy(`(?i)(?:^|[\s;&|("'])\w*(?:secret|token|password|passwd|api_?key|access_?key)\w*=["']?([^\s"']+)`),
	pattern.Lazy(`(?i)[\w-]*(?:api-key|token|secret|password)["']?:\s*["']?([^\s"']+)`),
	pattern.Lazy(`\b(?:mysql|mysqldump|mysqladmin|mariadb)\b[^|;&]*?\s-p["']?([^\s"']+)`),
	pattern.Lazy(`\bsshpass\s+-p\s*["']?([^\s"']+)`),
}

// findInCommand returns the parts of a command that look like secrets, or stand where one does.
func findInCommand(command string) []Found {
	secrets := Find(command)
	for _, expression := range inCommands {
		for _, at := range expression().FindAllStringSubmatchIndex(command, -1) {
			if !isReference(command[at[2]:at[3]]) {
				secrets = append(secrets, Found{"password", at[2], at[3]})
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
