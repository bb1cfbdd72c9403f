//go:build !languages_all

package syntax_test

var moreSamples []struct{ path, text string }
