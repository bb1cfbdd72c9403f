module github.com/santhosh-tekuri/jsonschema/v6

go 1.26.0

require github.com/google/jsonschema-go v0.4.2
