package workload

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// Members calls read for each member of a JSON object, which must read the value. What
// is not one object to its last byte is an error.
func Members(data []byte, read func(name string, dec *jsontext.Decoder) error) error {
	dec := jsontext.NewDecoder(bytes.NewBuffer(data), decodeOptions)
	start, err := dec.ReadToken()
	if err != nil {
		return fmt.Errorf("not JSON: %w", err)
	}
	if start.Kind() != '{' {
		return fmt.Errorf("not an object of the API: begins with %q", start.Kind())
	}
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return err
		}
		if err := read(name.String(), dec); err != nil {
			return err
		}
	}
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	if _, err := dec.ReadToken(); !errors.Is(err, io.EOF) {
		return errors.New("something stands behind the object")
	}
	return nil
}

// Elements calls read for each element of the list that the decoder stands at; null is a
// list without any. The value is only lent.
func Elements(dec *jsontext.Decoder, read func(value jsontext.Value)) error {
	if dec.PeekKind() == 'n' {
		return dec.SkipValue()
	}
	if start, err := dec.ReadToken(); err != nil || start.Kind() != '[' {
		return errors.Join(errors.New("the items are no list"), err)
	}
	for dec.PeekKind() != ']' {
		value, err := dec.ReadValue()
		if err != nil {
			return err
		}
		read(value)
	}
	_, err := dec.ReadToken()
	return err
}
