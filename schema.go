// Package hence holds what every room shares: the text of the database's schema,
// the skills, and which build this is. A Go file cannot embed a file from a folder above it,
// so the text is embedded here, beside it, and internal/db runs it.
package hence

import "embed"

// Skills are the files of the skills, which the plugins and the server offer, below SkillsFolder.
//
//go:embed plugins/claude-code/skills
var Skills embed.FS

// SkillsFolder is their folder.
const SkillsFolder = "plugins/claude-code/skills"

// Schema is the current schema in full: schema.sql, and the view of StaleBecause.
var Schema = schemaSQL + `
create view stale_because (memory, because, reason, evidence, doubted_by) as
` + StaleBecause + `;
`

//go:embed schema.sql
var schemaSQL string

// StaleBecause is the query that says why memories are stale, for every ground of the store; for
// some of them it is run beside a table expression named grounds: see edges/belief.
//
//go:embed stale_because.sql
var StaleBecause string
