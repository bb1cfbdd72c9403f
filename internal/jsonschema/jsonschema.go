// Package jsonschema is what mcp-go uses of the module of its name, by google/jsonschema-go, with
// which Hence makes its schemas. go.mod puts it in that module's place, which compiles five
// metaschemas as each process starts: a fifth of the processor time of a short command, for a
// validation that Hence leaves off.
package jsonschema

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/google/jsonschema-go/jsonschema"
)

// UnmarshalJSON reads one JSON value, and fails where more follows.
func UnmarshalJSON(from io.Reader) (value any, err error) {
	decoder := json.NewDecoder(from)
	if err = decoder.Decode(&value); err != nil {
		return nil, err
	}
	if _, err = decoder.Token(); err != io.EOF {
		return nil, errors.New("cannot read JSON: more text follows the value")
	}
	return value, nil
}

// Compiler compiles the schemas that it is given, by their addresses.
type Compiler struct{ documents map[string]any }

func NewCompiler() *Compiler { return &Compiler{documents: map[string]any{}} }

func (c *Compiler) AddResource(address string, document any) error {
	c.documents[address] = document
	return nil
}

// Compile fails for an address without a document, and for a document that is not a schema or
// refers to another one.
func (c *Compiler) Compile(address string) (*Schema, error) {
	document, ok := c.documents[address]
	if !ok {
		return nil, fmt.Errorf("cannot compile %s: it has no document; add it first", address)
	}
	text, err := json.Marshal(document)
	if err != nil {
		return nil, err
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(text, &schema); err != nil {
		return nil, err
	}
	resolved, err := schema.Resolve(nil)
	return &Schema{resolved: resolved}, err
}

// Schema is a compiled schema.
type Schema struct{ resolved *jsonschema.Resolved }

// Validate returns a *ValidationError for a value that breaks the schema.
func (s *Schema) Validate(value any) error {
	if err := s.resolved.Validate(value); err != nil {
		return &ValidationError{ErrorKind: err}
	}
	return nil
}

// ValidationError says why a value breaks a schema. The reason is one text, which names the place,
// so that it has neither a location of its own nor causes.
type ValidationError struct {
	InstanceLocation []string
	ErrorKind        any
	Causes           []*ValidationError
}

func (e *ValidationError) Error() string { return fmt.Sprint(e.ErrorKind) }
