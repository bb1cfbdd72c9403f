package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// writeImage writes the folder from which the Dockerfile copies, for one platform.
func (r *release) writeImage(t target, program file, parts []part) error {
	authorities, err := systemPart(t, static{"ca-certificates", "MPL-2.0 AND GPL-2.0-or-later", filepath.Join(debianAuthorities, "ISRG_Root_X1.crt")})
	if err != nil {
		return err
	}
	trusted, err := readAuthorities()
	if err != nil {
		return err
	}
	notice := thirdParty("This image also contains", append(slices.Clone(parts), authorities))
	program.name = t.String() + "/hence"
	files := []file{
		program,
		{name: t.String() + "/doc/LICENSE", from: filepath.Join(r.root, "LICENSE"), mode: 0o644},
		{name: t.String() + "/doc/THIRD_PARTY.txt", text: []byte(notice), mode: 0o644},
		{name: "etc/passwd", text: []byte("hence:x:65532:65532::/data:/sbin/nologin\n"), mode: 0o644},
		{name: "etc/group", text: []byte("hence:x:65532:\n"), mode: 0o644},
		{name: "etc/ssl/certs/ca-certificates.crt", text: trusted, mode: 0o644},
	}
	for _, name := range []string{"Dockerfile", "node.Dockerfile", "docker-compose.yml", "cluster.docker-compose.yml", "certificates.sh"} {
		text, err := os.ReadFile(filepath.Join(r.root, "release", "container", name))
		if err != nil {
			return err
		}
		// The registry of MCP servers accepts an image only if it names the server.
		text = []byte(strings.NewReplacer("io.github.OWNER/hence", r.mcpName(), "../../dist/container", ".").Replace(string(text)))
		f := file{name: name, text: text, mode: 0o644}
		if filepath.Ext(name) == ".sh" {
			f.mode = 0o755
		}
		files = append(files, f)
	}
	if err := put(r.path("container"), files, r.time); err != nil {
		return err
	}
	for _, empty := range []string{"data", "tmp"} {
		if err := os.MkdirAll(r.path("container", empty), 0o755); err != nil {
			return err
		}
	}
	return nil
}

// debianAuthorities is the folder of the certificate authorities that Debian trusts. /etc/ssl
// also has those that this machine adds.
const debianAuthorities = "/usr/share/ca-certificates/mozilla"

// readAuthorities returns the certificates of the authorities that Debian trusts, with which
// the program checks identity providers and embedders.
func readAuthorities() ([]byte, error) {
	paths, err := filepath.Glob(filepath.Join(debianAuthorities, "*.crt"))
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, errors.New("the certificate authorities for the image are missing; on Debian: apt-get install ca-certificates")
	}
	var all bytes.Buffer
	for _, path := range paths { // sorted
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		all.Write(append(bytes.TrimSpace(text), '\n'))
	}
	return all.Bytes(), nil
}
