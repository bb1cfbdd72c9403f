package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// index writes the main npm package, server.json and SHA256SUMS, which describe the files of
// all platforms. Run it again after the files of several machines were brought together.
func (r *release) index() error {
	if err := r.writeMainPackage(); err != nil {
		return err
	}
	sums, err := r.sums()
	if err != nil {
		return err
	}
	text, err := asJSON(r.serverJSON(sums))
	if err != nil {
		return err
	}
	if err := os.WriteFile(r.path("server.json"), text, 0o644); err != nil {
		return err
	}
	lines := ""
	for _, s := range sums {
		lines += s.hash + "  " + s.name + "\n" // the format of sha256sum
	}
	return os.WriteFile(r.path("SHA256SUMS"), []byte(lines), 0o644)
}

// sum is the SHA-256 of a file of the release, in hex.
type sum struct{ name, hash string }

// sums returns the sums of the files that people download, in the order of their names.
func (r *release) sums() (all []sum, err error) {
	paths, err := filepath.Glob(r.path("hence-*"))
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("%s has no files of a release; run release build", r.out)
	}
	for _, path := range paths { // sorted
		if !strings.HasPrefix(filepath.Base(path), "hence-"+r.version+"-") {
			return nil, fmt.Errorf("%s is not of version %s", path, r.version)
		}
		hash, err := hashOf(path)
		if err != nil {
			return nil, err
		}
		all = append(all, sum{filepath.Base(path), hash})
	}
	return all, nil
}

func hashOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func asJSON(v any) ([]byte, error) {
	text, err := json.MarshalIndent(v, "", "  ")
	return append(text, '\n'), err
}
