package budget

import (
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	jsonserializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"

	"github.com/probity-dev/probity/workload"
)

// codec reads what the API server sends of one kind straight into items: a typed
// object of ten kilobytes would live for no more than a moment, but ten thousand
// of them do so together.
type codec struct {
	kinds *atomic.Pointer[workload.Kinds]
	kind  schema.GroupVersionKind
	log   logr.Logger
}

// SupportedMediaTypes makes a codec a runtime.NegotiatedSerializer, of JSON only.
func (c codec) SupportedMediaTypes() []runtime.SerializerInfo {
	return []runtime.SerializerInfo{{
		MediaType:        runtime.ContentTypeJSON,
		MediaTypeType:    "application",
		MediaTypeSubType: "json",
		EncodesAsText:    true,
		Serializer:       c,
		StreamSerializer: &runtime.StreamSerializerInfo{EncodesAsText: true, Serializer: c, Framer: jsonserializer.Framer},
	}}
}

// EncoderForVersion makes a codec a runtime.NegotiatedSerializer.
func (codec) EncoderForVersion(e runtime.Encoder, _ runtime.GroupVersioner) runtime.Encoder { return e }

// DecoderToVersion makes a codec a runtime.NegotiatedSerializer.
func (codec) DecoderToVersion(d runtime.Decoder, _ runtime.GroupVersioner) runtime.Decoder { return d }

// Encode fails: nothing is sent.
func (codec) Encode(runtime.Object, io.Writer) error { return errors.New("not made for writing") }

// Identifier makes a codec a runtime.Encoder.
func (codec) Identifier() runtime.Identifier { return "probity" }

// Decode reads an object, a list, an event of a watch, or what the API server
// says in place of them.
func (c codec) Decode(data []byte, defaults *schema.GroupVersionKind, into runtime.Object) (runtime.Object, *schema.GroupVersionKind, error) {
	if event, ok := into.(*metav1.WatchEvent); ok {
		return event, nil, decodeEvent(data, event)
	}
	kind, err := kindOf(data)
	if err != nil {
		return nil, nil, err
	}
	switch kind {
	case c.kind.Kind:
		return c.item(data), &c.kind, nil
	case c.kind.Kind + "List":
		list, err := c.list(data)
		return list, &c.kind, err
	default:
		return clientgoscheme.Codecs.UniversalDeserializer().Decode(data, defaults, into)
	}
}

// item reads an object. A fault of ours in one must not end the process, as it would be
// there again at the next start: that one is kept by its name.
func (c codec) item(data []byte) (i *item) {
	apiVersion, kind := c.kind.GroupVersion().String(), c.kind.Kind
	defer func() {
		if p := recover(); p != nil {
			m := decodeMetadata(data)
			ref := m.ref(apiVersion, kind)
			c.log.Error(fmt.Errorf("panic: %v", p), "an object could not be read for a fault in Probity, please report it", "object", ref.String())
			i = m.item(&workload.Object{Ref: ref})
		}
	}()
	return decodeItem(c.kinds.Load(), data, apiVersion, kind)
}

// decodeEvent reads an event whose object stays part of data: it is decoded
// before the next event is read.
func decodeEvent(data []byte, event *metav1.WatchEvent) error {
	return workload.Members(data, func(name string, dec *jsontext.Decoder) error {
		switch name {
		case "type":
			return json.UnmarshalDecode(dec, &event.Type)
		case "object":
			value, err := dec.ReadValue()
			event.Object.Raw = value
			return err
		default:
			return dec.SkipValue()
		}
	})
}

func (c codec) list(data []byte) (*itemList, error) {
	list := &itemList{}
	err := workload.Members(data, func(name string, dec *jsontext.Decoder) error {
		switch name {
		case "metadata":
			var m struct {
				ResourceVersion    string `json:"resourceVersion"`
				Continue           string `json:"continue"`
				RemainingItemCount *int64 `json:"remainingItemCount"`
			}
			err := json.UnmarshalDecode(dec, &m)
			list.ListMeta = metav1.ListMeta{ResourceVersion: m.ResourceVersion, Continue: m.Continue, RemainingItemCount: m.RemainingItemCount}
			return err
		case "items":
			return c.items(dec, list)
		default:
			return dec.SkipValue()
		}
	})
	return list, err
}

func (c codec) items(dec *jsontext.Decoder, list *itemList) error {
	return workload.Elements(dec, func(value jsontext.Value) {
		if i := c.item(value); i.Name != "" { // nothing could find it again
			list.Items = append(list.Items, i)
		}
	})
}

// errFound ends the reading of members early.
var errFound = errors.New("found")

// kindOf returns the kind of an object, which stands at its begin.
func kindOf(data []byte) (kind string, err error) {
	err = workload.Members(data, func(name string, dec *jsontext.Decoder) error {
		if name != "kind" {
			return dec.SkipValue()
		}
		if err := json.UnmarshalDecode(dec, &kind); err != nil {
			return err
		}
		return errFound
	})
	if errors.Is(err, errFound) {
		err = nil
	}
	return kind, err
}
