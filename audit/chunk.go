package audit

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/probity-dev/probity/workload"
	"github.com/probity-dev/probity/workload/jsonscan"
)

// chunk is a part of a list. Its items are parts of the bytes that were read.
type chunk struct {
	items [][]byte
	// next is the token for the chunk after it; empty at the end of the list.
	next string
}

// splitChunk finds the items of a list in one pass. An answer that is not a list to its
// last byte is none: what is missing would be taken for what the cluster does not have.
func splitChunk(data []byte) (*chunk, error) {
	c := &chunk{}
	err := workload.Members(data, func(name string, dec *jsontext.Decoder) error {
		switch name {
		case "metadata":
			var metadata struct {
				Continue string `json:"continue"`
			}
			err := json.UnmarshalDecode(dec, &metadata)
			c.next = metadata.Continue
			return err
		case "items":
			return workload.Elements(dec, func(item jsontext.Value) {
				// The decoder's own slice is only lent; that of the data stays.
				end := dec.InputOffset()
				c.items = append(c.items, data[end-int64(len(item)):end])
			})
		default:
			return dec.SkipValue()
		}
	})
	if err != nil {
		return nil, fmt.Errorf("the answer is no whole list: %w", err)
	}
	return c, nil
}

// identity is what metadata says of which object it is.
type identity struct{ namespace, name, uid string }

// key is the object's place in etcd, below its kind.
func (i identity) key() string { return i.namespace + "/" + i.name }

// identify reads the identity of an item. This is done for every item, and what is
// behind the metadata is not looked at.
func identify(raw []byte) (id identity) {
	s := jsonscan.New(raw)
	read := false
	s.Object(func(member []byte) {
		if string(member) != "metadata" {
			s.Skip()
			return
		}
		s.Object(func(member []byte) {
			switch string(member) {
			case "namespace":
				id.namespace = s.String()
			case "name":
				id.name = s.String()
			case "uid":
				id.uid = s.String()
			default:
				s.Skip()
			}
		})
		read = s.OK()
		s.Fail() // ends it
	})
	if !read {
		return identity{text(raw, "/metadata/namespace"), text(raw, "/metadata/name"), text(raw, "/metadata/uid")}
	}
	return id
}

// text returns a string of a document; empty when there is none.
func text(data []byte, pointer string) string {
	value, err := workload.Raw(data, pointer)
	if err != nil || value.Kind() != '"' {
		return ""
	}
	s, err := jsontext.AppendUnquote(nil, value)
	if err != nil {
		return ""
	}
	return string(s)
}
