package main

import (
	"encoding/json"
	"os"
)

// launchedBy returns the words by which a client starts this program if not by its path:
// npx keeps packages in folders that come and go. The launcher of the npm package sets
// HENCE_LAUNCHED_BY to a JSON list of them where npx started it. Anything else is as good
// as nothing: the path works for as long as the folder is there.
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
