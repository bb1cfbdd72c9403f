package main

import (
	"encoding/json"
	"os"
)

// launchedBy returns the command with which a client starts this program; nil for its path.
// npx keeps packages in folders that it may delete, so the launcher of the npm package, if
// npx started it, sets HENCE_LAUNCHED_BY to such a command: a JSON list of words. Any other
// value is ignored, because the path works as long as the folder exists.
func launchedBy(env func(string) string) (words []string) {
	if json.Unmarshal([]byte(env("HENCE_LAUNCHED_BY")), &words) != nil || len(words) == 0 || words[0] == "" {
		return nil
	}
	return words
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}
