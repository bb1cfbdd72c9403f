package explore

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"unicode/utf8"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/projection/folder"
	"hence/vault"
)

// filePath is the address of the pictures of a vault, below APIPath.
const filePath = "file"

// maxPicture is the size limit of a file that is shown, in bytes.
const maxPicture = 32 << 20

// filePolicy keeps a picture from running scripts and loading anything, because an SVG file may
// try to.
const filePolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"

// file answers with a picture of a vault, as it is on disk now.
func (a *API) file(w http.ResponseWriter, r *http.Request) {
	content, kind, err := a.picture(r.Context(), r.URL.Query().Get("id"))
	if err != nil {
		refuse(w, fault.CodeOf(err), err.Error())
		return
	}
	secure(w.Header())
	w.Header().Set("Content-Security-Policy", filePolicy)
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Type", kind)
	_, _ = w.Write(content) // the client may be gone
}

// picture returns the content and the content type of a memory that is a picture in a
// vault. It fails with not_found for a memory that the caller may not see, with
// invalid_argument for one that is not a picture, with too_large for a file over
// maxPicture, with outside_vault for a file that import leaves out, and with unavailable if
// the vault's folder is missing.
func (a *API) picture(ctx context.Context, id string) (content []byte, kind string, err error) {
	uri := ""
	err = a.db.Read(ctx, func(r *db.Reader) error {
		m, err := a.caller.Find(ctx, r, id)
		if err != nil {
			return err
		}
		uri, _, err = db.One[string](ctx, r, `
select coalesce(uri, '')
from memories
where key = ?
  and kind = 'file'`, m.Key)
		return err
	})
	if err == nil && uri == "" {
		err = fault.New(fault.InvalidArgument, "file: %q is not a file of a vault", id)
	}
	if err != nil {
		return nil, "", err
	}
	f, err := vault.Importer{DB: a.db, Caller: a.caller}.FindFile(ctx, "file", "", uri)
	if err != nil {
		return nil, "", err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	content, err = f.Read(folder.Entry{Path: f.Path}, maxPicture)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, "", vault.ErrMissing("file", f.Path)
	case err != nil:
		return nil, "", fault.Wrap(fault.Unavailable, err, "file: %s cannot be read", f.Path)
	case len(content) > maxPicture:
		return nil, "", fault.New(fault.TooLarge, "file: %s is too large to be shown: it has more than %d bytes", f.Path, maxPicture)
	}
	if kind = pictureType(f.Path, content); kind == "" {
		return nil, "", fault.New(fault.InvalidArgument, "file: %s is not a picture that can be shown: PNG, JPEG, GIF, WebP, BMP, AVIF or SVG", f.Path)
	}
	return content, kind, nil
}

// pictureType returns the content type of a picture by its bytes, whatever its name is; "" if
// content is not a picture. SVG has no typical first bytes, so it is recognised as text with an
// svg element and the extension .svg.
func pictureType(name string, content []byte) string {
	kind := http.DetectContentType(content)
	switch {
	case strings.HasPrefix(kind, "image/"):
		return kind
	case len(content) > 12 && string(content[4:8]) == "ftyp" && (string(content[8:12]) == "avif" || string(content[8:12]) == "avis"):
		return "image/avif"
	case strings.EqualFold(path.Ext(name), ".svg") && utf8.Valid(content) && bytes.Contains(content, []byte("<svg")):
		return "image/svg+xml"
	}
	return ""
}
