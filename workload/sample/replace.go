package sample

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
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
	_, _, count := place(object, -1)
	if count == 0 {
		return object
	}
	start, end, _ := place(object, int(at%uint(count)))
	return slices.Concat(object[:start], value, object[end:])
}

// place returns where the value of that number begins and ends in an object, or how many
// there are when they are fewer.
func place(object []byte, number int) (start, end int64, count int) {
	dec := jsontext.NewDecoder(bytes.NewReader(object))
	for {
		in, length := dec.StackIndex(dec.StackDepth())
		name := in == '{' && length%2 == 0
		if next := dec.PeekKind(); !name && next != 0 && next != '}' && next != ']' {
			if count == number {
				value, err := dec.ReadValue()
				if err != nil {
					return 0, 0, count
				}
				return dec.InputOffset() - int64(len(value)), dec.InputOffset(), count
			}
			count++
		}
		if _, err := dec.ReadToken(); err != nil {
			return 0, 0, count
		}
	}
}
