package hence

import (
	"runtime"
	"runtime/debug"
	"strings"
)

// version and revision are set by a release: -ldflags "-X hence.version=1.2.3".
var version, revision = "", ""

// Build says which Hence this is.
type Build struct {
	Version  string `json:"version"`            // "devel" outside a release
	Revision string `json:"revision,omitempty"` // of git, 12 digits
	Go       string `json:"go"`
}

// ThisBuild returns the build that is running.
func ThisBuild() Build {
	b := Build{Version: version, Revision: revision, Go: runtime.Version()}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if b.Version == "" {
		b.Version = strings.TrimPrefix(info.Main.Version, "v") // as a release is called
	}
	const short = 12
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" && b.Revision == "" {
			b.Revision = setting.Value[:min(len(setting.Value), short)]
		}
	}
	if b.Version == "" || b.Version == "(devel)" {
		b.Version = "devel"
	}
	return b
}

// String is the version, with the revision where the version does not name it.
func (b Build) String() string {
	if b.Revision == "" || strings.Contains(b.Version, b.Revision) {
		return b.Version
	}
	return b.Version + " (" + b.Revision + ")"
}
