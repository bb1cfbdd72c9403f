package golang_test

import (
	"os"
	"testing"

	"hence/code/golang"
)

func BenchmarkCheckFolder(b *testing.B) {
	root := os.Getenv("TRY")
	if root == "" {
		b.Skip()
	}
	files := readFolder(b, root)
	b.Run("check", func(b *testing.B) {
		for b.Loop() {
			if _, err := golang.Check(b.Context(), files, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("read", func(b *testing.B) {
		for b.Loop() {
			readAll(files)
		}
	})
}
