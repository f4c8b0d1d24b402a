package workload

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// scalarType is what a plain YAML scalar stands for.
type scalarType uint8

const (
	scalarString scalarType = iota
	scalarNull
	scalarBool
	scalarNumber
)

// errNotANumber: JSON has neither of them, and kubectl refuses them too.
var errNotANumber = errors.New("must be a number that JSON can hold, is an infinity or not a number")

// yamlFloat is the form of a float in YAML 1.1 as kubectl's reader takes it.
var yamlFloat = regexp.MustCompile(`^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)

// appendPlain appends a plain scalar in JSON, read as kubectl reads it:
// sigs.k8s.io/yaml with YAML 1.1's booleans (yes, no, on, off, y, n), octal,
// hexadecimal and binary numbers, and underscores in numbers. Dates are strings.
func appendPlain(dst []byte, s []byte) ([]byte, scalarType, error) {
	if len(s) == 0 {
		return append(dst, "null"...), scalarNull, nil
	}
	switch c := s[0]; {
	case c == '~' || c|0x20 == 'y' || c|0x20 == 'n' || c|0x20 == 't' || c|0x20 == 'f' || c|0x20 == 'o':
		if word, typ := yamlWord(string(s)); typ != scalarString {
			return append(dst, word...), typ, nil
		}
	case c == '.' || c == '-' || c == '+' || c >= '0' && c <= '9':
		return appendNumber(dst, s)
	}
	return appendString(dst, s), scalarString, nil
}

// yamlWord returns the JSON of a word that is no string.
func yamlWord(s string) (word string, typ scalarType) {
	switch s {
	case "true", "True", "TRUE", "yes", "Yes", "YES", "y", "Y", "on", "On", "ON":
		return "true", scalarBool
	case "false", "False", "FALSE", "no", "No", "NO", "n", "N", "off", "Off", "OFF":
		return "false", scalarBool
	case "~", "null", "Null", "NULL":
		return "null", scalarNull
	default:
		return "", scalarString
	}
}

// appendNumber appends what begins like a number: a number if it is one, else
// a string.
func appendNumber(dst, s []byte) ([]byte, scalarType, error) {
	if decimal(s) {
		return append(dst, s...), scalarNumber, nil
	}
	text := string(s)
	switch strings.ToLower(strings.TrimLeft(text, "+-")) {
	case ".inf", ".nan":
		if yamlInfinity(text) {
			return dst, scalarNumber, errNotANumber
		}
	}
	if s[0] == '.' {
		if f, err := strconv.ParseFloat(text, 64); err == nil {
			return appendFloat(dst, f), scalarNumber, nil
		}
		return appendString(dst, s), scalarString, nil
	}
	if isTimestamp(text) {
		return appendString(dst, s), scalarString, nil
	}
	digits := strings.ReplaceAll(text, "_", "")
	if n, err := strconv.ParseInt(digits, 0, 64); err == nil {
		return strconv.AppendInt(dst, n, 10), scalarNumber, nil
	}
	if n, err := strconv.ParseUint(digits, 0, 64); err == nil {
		return strconv.AppendUint(dst, n, 10), scalarNumber, nil
	}
	if yamlFloat.MatchString(digits) {
		if f, err := strconv.ParseFloat(digits, 64); err == nil {
			return appendFloat(dst, f), scalarNumber, nil
		}
	}
	return appendString(dst, s), scalarString, nil
}

// decimal reports whether s is a number that JSON writes in the same way.
func decimal(s []byte) bool {
	if len(s) > 18 || s[0] == '0' && len(s) > 1 {
		return false
	}
	for _, c := range s {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

func yamlInfinity(s string) bool {
	switch s {
	case ".nan", ".NaN", ".NAN", ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF", "-.inf", "-.Inf", "-.INF":
		return true
	default:
		return false
	}
}

// isTimestamp reports whether kubectl's reader takes the text for a date, which
// it then keeps as a string.
func isTimestamp(s string) bool {
	if len(s) < 6 || s[4] != '-' || strings.Trim(s[:4], "0123456789") != "" {
		return false
	}
	for _, layout := range [...]string{
		"2006-1-2T15:4:5.999999999Z07:00", "2006-1-2t15:4:5.999999999Z07:00", "2006-1-2 15:4:5.999999999", "2006-1-2",
	} {
		if _, err := time.Parse(layout, s); err == nil {
			return true
		}
	}
	return false
}

// appendFloat writes a float as encoding/json does: 1.0 is 1.
func appendFloat(dst []byte, f float64) []byte {
	text, err := json.Marshal(f)
	if err != nil {
		return append(dst, "null"...) // unreachable: infinities have been refused
	}
	return append(dst, text...)
}

// appendString appends a JSON string.
func appendString[T []byte | string](dst []byte, s T) []byte {
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c == '"' || c == '\\' || c >= 0x80 {
			// The error is about broken UTF-8, which is replaced all the same.
			dst, _ = jsontext.AppendQuote(dst, s)
			return dst
		}
	}
	dst = append(dst, '"')
	dst = append(dst, s...)
	return append(dst, '"')
}

// appendTagged appends a scalar with an explicit tag such as !!str. A tag that
// is not YAML's own leaves a string.
func appendTagged(dst []byte, tag, value string) ([]byte, scalarType, error) {
	switch tag {
	case "!!int", "!!float", "!!bool", "!!null":
	case "!!binary":
		data, err := base64.StdEncoding.DecodeString(value)
		if err != nil {
			return dst, scalarString, fmt.Errorf("must be base64, as its tag is !!binary: %w", err)
		}
		return appendString(dst, data), scalarString, nil
	default:
		return appendString(dst, value), scalarString, nil
	}
	dst, typ, err := appendPlain(dst, []byte(value))
	if err != nil {
		return dst, typ, err
	}
	want := map[string]scalarType{"!!int": scalarNumber, "!!float": scalarNumber, "!!bool": scalarBool, "!!null": scalarNull}[tag]
	if typ != want {
		return dst, typ, fmt.Errorf("must be what its tag %s says, is %q", tag, clip(value))
	}
	return dst, typ, nil
}
