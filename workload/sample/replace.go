package sample

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/probity-dev/probity/workload"
)

// Replaced returns an object in JSON with a value in place of one of its own, of which
// any number names one. What is not JSON stands there as a text. So a fuzzer gets past
// the syntax, which bytes by chance seldom do. An empty value changes nothing.
func Replaced(object []byte, at uint, value []byte) []byte {
	if len(value) == 0 {
		return object
	}
	if !jsontext.Value(value).IsValid() {
		value, _ = json.Marshal(string(value)) // never fails on a string
	}
	var places []jsontext.Pointer
	dec := jsontext.NewDecoder(bytes.NewReader(object))
	for {
		if _, err := dec.ReadToken(); err != nil {
			break
		}
		if p := dec.StackPointer(); len(places) == 0 || places[len(places)-1] != p {
			places = append(places, p)
		}
	}
	if len(places) == 0 {
		return object
	}
	start, end, err := workload.Locate(object, string(places[at%uint(len(places))]))
	if err != nil {
		return object
	}
	return slices.Concat(object[:start], value, object[end:])
}
