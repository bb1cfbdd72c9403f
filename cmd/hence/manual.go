package main

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"hence"
	"hence/internal/fault"
)

// manualCommand writes the manual pages and completion scripts of packages. The help does not
// list it, because users of a package already have these files.
func (s *session) manualCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "manual",
		Hidden: true,
		Args:   count{1, 1}.check,
		RunE: func(cmd *cobra.Command, words []string) error {
			if err := writeCompletions(cmd.Root(), filepath.Join(words[0], "completions")); err != nil {
				return fault.Wrap(fault.Unavailable, err, "manual: the completion scripts cannot be written")
			}
			// Last, because the pages change the texts of the commands.
			if err := writePages(cmd.Root(), filepath.Join(words[0], "man", "man1")); err != nil {
				return fault.Wrap(fault.Unavailable, err, "manual: the pages cannot be written")
			}
			return nil
		},
	}
}

func writePages(root *cobra.Command, folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	root.DisableAutoGenTag = true
	asMarkdown(root)
	header := doc.GenManHeader{Section: "1", Source: "Hence " + hence.ThisBuild().Version, Manual: "Hence"}
	if err := doc.GenManTree(root, &header, folder); err != nil {
		return err
	}
	return addToMainPage(folder)
}

// asMarkdown turns the help texts of all commands into the Markdown that the generator of
// pages reads: indented lines become code blocks, and the signs of Markdown are escaped.
func asMarkdown(cmd *cobra.Command) {
	var text strings.Builder
	indented := false
	for line := range strings.Lines(cmd.Long) {
		line = strings.Replace(line, "\t", "  ", 1) // cobra indents its own texts with tabs
		now := strings.HasPrefix(line, "  ")
		if now != indented {
			text.WriteString("\n")
		}
		if indented = now; now {
			text.WriteString("  " + line)
			continue
		}
		text.WriteString(markdownSigns.Replace(line))
	}
	cmd.Long = text.String()
	for _, below := range cmd.Commands() {
		asMarkdown(below)
	}
}

var markdownSigns = strings.NewReplacer(`\`, `\\`, "*", `\*`, "_", `\_`, "<", `\<`, "`", "\\`", "[", `\[`)

func writeCompletions(root *cobra.Command, folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for name, write := range map[string]func(path string) error{
		"hence.bash": func(path string) error { return root.GenBashCompletionFileV2(path, true) },
		"_hence":     root.GenZshCompletionFile,
		"hence.fish": func(path string) error { return root.GenFishCompletionFile(path, true) },
		"hence.ps1":  root.GenPowerShellCompletionFileWithDesc,
	} {
		if err := write(filepath.Join(folder, name)); err != nil {
			return err
		}
	}
	return nil
}

// meaning is a line of a list in the manual.
type meaning struct{ name, text string }

// exitMeanings are the meanings of the exit codes.
var exitMeanings = []meaning{
	{"0", "done"},
	{"1", "an internal error, or something could not be reached"},
	{"2", "wrong usage"},
	{"3", "it was not found, or several have that name"},
	{"4", "a conflict, or a cycle"},
	{"5", "not allowed"},
	{"6", "a cluster may or may not have taken the write"},
}

// variables are the environment variables that the program reads.
var variables = []meaning{
	{"HENCE_DB", "the store, where --db names none"},
	{"HENCE_TOKEN", "the token that gives access to everything: see hence serve"},
	{"HENCE_RQLITE_USER, HENCE_RQLITE_PASSWORD", "who asks the nodes of a cluster"},
	{"HENCE_RQLITE_TLS, HENCE_RQLITE_CA, HENCE_RQLITE_CERT, HENCE_RQLITE_KEY", "how its nodes are reached by TLS"},
	{"HENCE_SESSION_ID, HENCE_CLIENT, HENCE_BRANCH, HENCE_COMMIT", "what a checkpoint says of its session"},
	{"OLLAMA_HOST, OPENAI_API_KEY", "where hence embed finds a server of models, and the key for it"},
	{"NO_COLOR", "no colours on a terminal"},
	{"XDG_DATA_HOME, XDG_STATE_HOME", "where ~/.local/share and ~/.local/state are instead, but for macOS and Windows"},
}

// places are the files of a user.
var places = []meaning{
	{"~/.local/share/hence/hence.db", `the store; on macOS ~/Library/Application Support/hence/hence.db, on Windows %LocalAppData%\hence\hence.db`},
	{"~/.local/state/hence/init", "what hence init has written into which file; on macOS and Windows beside the store, like the next"},
	{"~/.local/state/hence/sessions", "what hooks know of sessions, for seven days"},
	{".hence.yaml", "in a vault: what its words for edges mean"},
	{".hence", "in a repository: the memories of a team"},
}

// addToMainPage adds the sections about all commands to the page hence(1).
func addToMainPage(folder string) error {
	path := filepath.Join(folder, "hence.1")
	page, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	const next = "\n.SH SEE ALSO\n"
	before, after, _ := strings.Cut(string(page), next)
	var b strings.Builder
	b.WriteString(before)
	for _, section := range []struct {
		title string
		list  []meaning
	}{{"EXIT STATUS", exitMeanings}, {"ENVIRONMENT", variables}, {"FILES", places}} {
		b.WriteString("\n.SH " + section.title + "\n")
		for _, m := range section.list {
			b.WriteString(".TP\n\\fB" + roff.Replace(m.name) + "\\fP\n" + roff.Replace(m.text) + "\n")
		}
	}
	return os.WriteFile(path, []byte(b.String()+next+after), 0o644)
}

// roff escapes the characters that have a meaning in a manual page. A dot has one only at the
// start of a line, and no text of a list begins with a dot.
var roff = strings.NewReplacer(`\`, `\e`, "-", `\-`)
