package main

import (
	"errors"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/CycloneDX/cyclonedx-go"
	"github.com/google/uuid"
)

// writeBOM writes the bill of materials of a program, as CycloneDX 1.6 JSON.
func (r *release) writeBOM(t target, parts []part) (err error) {
	bom := cyclonedx.NewBOM()
	bom.SerialNumber = "urn:uuid:" + uuid.NewSHA1(uuid.NameSpaceURL, []byte(r.repository()+"/"+r.name(t)+"/"+r.revision)).String()
	hash, err := hashOf(r.programPath(t))
	if err != nil {
		return err
	}
	bom.Metadata = &cyclonedx.Metadata{
		Timestamp: r.time.Format(time.RFC3339),
		Component: &cyclonedx.Component{
			BOMRef: "hence", Type: cyclonedx.ComponentTypeApplication, Name: "hence", Version: r.version,
			Hashes:   &[]cyclonedx.Hash{{Algorithm: cyclonedx.HashAlgoSHA256, Value: hash}},
			Licenses: &cyclonedx.Licenses{{License: &cyclonedx.License{ID: "MIT"}}},
			ExternalReferences: &[]cyclonedx.ExternalReference{
				{Type: cyclonedx.ERTypeVCS, URL: r.repository()},
			},
		},
	}
	components, refs := []cyclonedx.Component{}, []string{}
	for _, p := range parts {
		if p.kind == "" {
			continue
		}
		packageURL := p.packageURL()
		c := cyclonedx.Component{BOMRef: packageURL, Type: cyclonedx.ComponentTypeLibrary, Name: p.name, Version: p.version, PackageURL: packageURL}
		if p.licence != "" {
			c.Licenses = &cyclonedx.Licenses{{Expression: p.licence}}
		}
		components, refs = append(components, c), append(refs, packageURL)
	}
	bom.Components = &components
	bom.Dependencies = &[]cyclonedx.Dependency{{Ref: "hence", Dependencies: &refs}}
	out, err := os.Create(r.path(r.name(t) + ".cdx.json"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	return cyclonedx.NewBOMEncoder(out, cyclonedx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bom, cyclonedx.SpecVersion1_6)
}

// packageURL returns the URL of the part by https://github.com/package-url/purl-spec: each word
// between slashes is escaped, and names of Go modules are in lower case.
func (p part) packageURL() string {
	name := p.name
	if p.kind == "golang" {
		name = strings.ToLower(name)
	}
	words := strings.Split(name, "/")
	for i, word := range words {
		words[i] = escapePackage(word)
	}
	packageURL := "pkg:" + p.kind + "/" + strings.Join(words, "/")
	if p.version != "" {
		packageURL += "@" + escapePackage(p.version)
	}
	return packageURL
}

func escapePackage(word string) string {
	return strings.NewReplacer("@", "%40", "+", "%2B", "&", "%26", "=", "%3D", "$", "%24").Replace(url.PathEscape(word))
}
