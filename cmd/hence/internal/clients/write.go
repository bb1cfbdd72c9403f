package clients

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Write adds the server, and nothing else, to the file that hence setup writes.
func (c Client) Write(p Places, s Server) Change {
	c.hooks, c.readsInstructions, c.userInstructions = nil, false, nil
	return Apply([]Client{c}, p, Wish{Server: s, User: !c.inProject}, Put, false)[0]
}

// replace writes a temporary file and renames it over the old one.
func replace(path string, text []byte, mode fs.FileMode) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".hence-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	_, err = f.Write(text)
	err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
