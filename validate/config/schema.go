package config

import (
	"bytes"
	"encoding/json"
)

// schema is as much of JSON Schema (draft 2020-12) as the file needs.
type schema struct {
	Dialect              string     `json:"$schema,omitempty"`
	Title                string     `json:"title,omitempty"`
	Description          string     `json:"description,omitempty"`
	Type                 any        `json:"type,omitempty"`
	Const                string     `json:"const,omitempty"`
	Enum                 []string   `json:"enum,omitempty"`
	Pattern              string     `json:"pattern,omitempty"`
	Format               string     `json:"format,omitempty"`
	Minimum              *int       `json:"minimum,omitempty"`
	Maximum              *int       `json:"maximum,omitempty"`
	MinItems             int        `json:"minItems,omitempty"`
	Items                *schema    `json:"items,omitempty"`
	MinProperties        int        `json:"minProperties,omitempty"`
	PropertyNames        *schema    `json:"propertyNames,omitempty"`
	Properties           properties `json:"properties,omitempty"`
	Required             []string   `json:"required,omitempty"`
	AdditionalProperties any        `json:"additionalProperties,omitempty"`
	AnyOf                []*schema  `json:"anyOf,omitempty"`
}

// orNull lets a field be left without content.
func orNull(kind string) []string { return []string{kind, "null"} }

// properties keep the order in which the fields are explained.
type properties []property

type property struct {
	name string
	*schema
}

// MarshalJSON writes an object.
func (p properties) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, f := range p {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(f.name)
		if err != nil {
			return nil, err
		}
		value, err := encode(f.schema, "")
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// encode writes JSON for people: < and > stay as they are.
func encode(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	err := e.Encode(v)
	return b.Bytes(), err
}

// Schema returns the JSON Schema of the configuration file: what Parse takes, as
// far as a schema can say it.
func Schema() ([]byte, error) {
	s := new(Config).file().schema()
	s.Dialect = "https://json-schema.org/draft/2020-12/schema"
	s.Title = "Probity's configuration file, " + APIVersion
	s.Type = "object"
	return encode(s, "  ")
}
