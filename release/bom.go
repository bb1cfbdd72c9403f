package main

import (
	"errors"
	"os"
	"time"

	"github.com/CycloneDX/cyclonedx-go"
	"github.com/google/uuid"
)

// writeBOM writes what a program consists of, in the form of CycloneDX 1.6.
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
	components := []cyclonedx.Component{}
	for _, p := range parts {
		url := "pkg:" + p.kind + "/" + p.name + "@" + p.version
		if p.version == "" { // rules and notices that are of no version
			continue
		}
		c := cyclonedx.Component{BOMRef: url, Type: cyclonedx.ComponentTypeLibrary, Name: p.name, Version: p.version, PackageURL: url}
		if p.licence != "" {
			c.Licenses = &cyclonedx.Licenses{{Expression: p.licence}}
		}
		components = append(components, c)
	}
	bom.Components = &components
	out, err := os.Create(r.path(r.name(t) + ".cdx.json"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	return cyclonedx.NewBOMEncoder(out, cyclonedx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bom, cyclonedx.SpecVersion1_6)
}
