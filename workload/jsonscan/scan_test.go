package jsonscan

import (
	"bytes"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// FuzzSkip: what is passed over is one value of JSON, whole.
func FuzzSkip(f *testing.F) {
	for _, text := range []string{
		`{}`, `[]`, ` [ { "a" : [ 1 , -0.5e+7 , "\u00e9\"" ] } , true , false , null ] `, `[[],{}]`, `{"a":{}}x`,
		`01`, `-`, `1.`, `1e`, `"a`, `"\x"`, `"\u12"`, `[1,]`, `{"a"}`, `{"a":1,}`, `[1 2]`, `tru`, "\"\t\"", `}`, ``, `{1:2}`, `[}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := New(data)
		raw := s.Raw()
		dec := jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
		want, err := dec.ReadValue()
		switch {
		case !s.OK() && raw != nil:
			t.Fatalf("%q: gave up, and returned %q", data, raw)
		case !s.OK():
		case err != nil:
			t.Fatalf("%q: passed over %q, but: %v", data, raw, err)
		case !bytes.Equal(want, raw):
			t.Fatalf("%q: passed over %q, is %q", data, raw, want)
		}
	})
}

func TestAValueIsReadWhole(t *testing.T) {
	s := New([]byte(` { "text": "a\tb", "n": -12, "yes": true, "no": false, "list": [ 1, 2 ], "none": null, "rest": {"a": [{}]} } `))
	var text string
	var n int64
	var list []int32
	var yes, no, none bool
	s.Object(func(name []byte) {
		switch string(name) {
		case "text":
			text = s.String()
		case "n":
			n = s.Int()
		case "yes":
			yes = s.Bool()
		case "no":
			no = !s.Bool()
		case "list":
			s.Array(func() { list = append(list, s.Int32()) })
		case "none":
			none = s.Null()
		default:
			s.Skip()
		}
	})
	if !s.OK() || !s.AtEnd() {
		t.Fatal("gave up")
	}
	if text != "a\tb" || n != -12 || !yes || !no || !none || len(list) != 2 || list[1] != 2 {
		t.Errorf("got %q, %d, %v, %v, %v, %v", text, n, yes, no, none, list)
	}
}

func TestAfterGivingUpNothingIsRead(t *testing.T) {
	s := New([]byte(`{"a": "b"}`))
	s.Fail()
	s.Object(func([]byte) { t.Error("a member") })
	s.Array(func() { t.Error("an item") })
	s.Skip()
	if s.String() != "" || s.Int() != 0 || s.Bool() || s.Null() || s.Number() != nil || s.OK() || s.Raw() != nil {
		t.Error("read something")
	}
}
