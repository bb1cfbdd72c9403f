// Package hence holds what every room shares: the text of the database's schema
// and which build this is. A Go file cannot embed a file from a folder above it,
// so the text is embedded here, beside it, and internal/db runs it.
package hence

import _ "embed"

// Schema is schema.sql: the current schema in full, ending with the
// user_version it describes.
//
//go:embed schema.sql
var Schema string
