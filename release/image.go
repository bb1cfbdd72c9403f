package main

import (
	"os"
	"path/filepath"
)

// image is the name of the container image.
func (r *release) image() string { return "ghcr.io/" + r.owner + "/hence:" + r.version }

// writeImage writes the folder from which container/Dockerfile copies, for one platform.
func (r *release) writeImage(t target, program file) error {
	program.name = t.String() + "/hence"
	files := []file{
		program,
		{name: "etc/passwd", text: []byte("hence:x:65532:65532::/data:/sbin/nologin\n"), mode: 0o644},
		{name: "etc/group", text: []byte("hence:x:65532:\n"), mode: 0o644},
		// The authorities that Debian trusts, for identity providers and embedders.
		{name: "etc/ssl/certs/ca-certificates.crt", from: "/etc/ssl/certs/ca-certificates.crt", mode: 0o644},
	}
	for _, name := range []string{"Dockerfile", "node.Dockerfile", "docker-compose.yml", "cluster.docker-compose.yml"} {
		files = append(files, file{name: name, from: filepath.Join(r.root, "release", "container", name), mode: 0o644})
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
