// Package plural counts things in words.
package plural

import "strconv"

// Count says how many there are of something: "1 note", "3 notes".
func Count(n int, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + several
}
