// Package hence holds what the whole project shares and no room owns: the
// text of the database's schema. A Go file cannot embed a file from a folder
// above it, so the text is embedded here, beside it, and internal/db runs it.
package hence

import _ "embed"

// Schema is schema.sql: the current schema in full, ending with the
// user_version it describes.
//
//go:embed schema.sql
var Schema string
