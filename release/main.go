// Command release makes what people install: programs for every platform, archives of
// them, npm packages, bundles for MCP clients, the folder of the container image, and the
// tree of a Go module. README.md beside it names what comes out; make dist runs it.
//
//	release build      for the platforms that this machine can build for
//	release index      the files that describe those of all platforms: checksums, server.json
//	release module     the source as a module that go install accepts, and a proxy for it
//	release web        the licences of the packages in the explorer's page
//	release published  turns the pages to what holds once Hence is published
//
// Two runs from the same commit write the same bytes, wherever the checkout is.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(words []string) error {
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	out := flags.String("out", "dist", "the `folder` to write to")
	owner := flags.String("owner", "", "the `account` on GitHub that publishes: a name in lower case")
	npm := flags.String("npm", "", "the `name` of the npm package")
	version := flags.String("version", "", "the `version`; default: that of the commit's tag, else one made of its time and name")
	only := flags.String("only", "", "build for this `platform` only, such as linux-amd64")
	modules := flags.String("modules", "", "of web: the `folder` node_modules")
	if len(words) == 0 {
		return fmt.Errorf("name what to make: build, index, module, web or published")
	}
	if err := flags.Parse(words[1:]); err != nil {
		return err
	}
	switch words[0] {
	case "web":
		return writeWebLicences(*modules)
	case "published":
		return (&release{root: "."}).publishPages()
	}
	r, err := newRelease(*out, *version, *owner, *npm)
	if err != nil {
		return err
	}
	switch words[0] {
	case "build":
		return r.build(*only)
	case "index":
		return r.index()
	case "module":
		return r.module()
	}
	return fmt.Errorf("%q is not one of build, index, module, web and published", words[0])
}
