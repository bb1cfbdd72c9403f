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
		Use:   "manual FOLDER",
		Short: "Write manual pages and completion scripts, for packages",
		Long: `Writes a manual page for each command to FOLDER/man/man1, and completion scripts to
FOLDER/completions: hence.bash, _hence (zsh), hence.fish and hence.ps1 (PowerShell).

The same build writes the same bytes where SOURCE_DATE_EPOCH (seconds since 1970) gives
the date of the pages, which is else today's.`,
		Example: `  SOURCE_DATE_EPOCH=1767225600 hence manual ~/package
  man -l ~/package/man/man1/hence-store.1`,
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
