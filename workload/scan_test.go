package workload

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/probity-dev/probity/workload/jsonscan"
)

// generally reads an object with the general decoder alone.
func generally(data []byte, apiVersion, kind string) (*Object, error) {
	return DefaultKinds().decode(jsontext.NewDecoder(bytesReader(data), decodeOptions), apiVersion, kind, nil)
}

// TestScanReadsEveryField fills each form with values in all of its fields, so
// that a field that is new in the model is missed here if Scan does not read it.
func TestScanReadsEveryField(t *testing.T) {
	for kind, form := range map[string]any{"Pod": &podObject{}, "Deployment": &templateObject{}, "CronJob": &cronJobObject{}} {
		t.Run(kind, func(t *testing.T) {
			apiVersion := map[string]string{"Pod": "v1", "Deployment": "apps/v1", "CronJob": "batch/v1"}[kind]
			data, err := json.Marshal(filled(reflect.TypeOf(form).Elem(), ""))
			if err != nil {
				t.Fatal(err)
			}
			got := DefaultKinds().Scan(jsonscan.New(data), apiVersion, kind)
			want, err := generally(data, apiVersion, kind)
			if err != nil {
				t.Fatalf("%v in %s", err, data)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-general +scan)\n%s\nof %s", diff, data)
			}
		})
	}
}

// filled returns a value in JSON's terms for a type: each field is there, and no
// two strings or numbers are alike.
func filled(t reflect.Type, at string) any {
	n := 1 + len(at)%50
	switch reflect.New(t).Interface().(type) {
	case *Port:
		return n
	case *IntOrPercent:
		return "25%"
	case *Selector:
		return map[string]any{
			"matchLabels": map[string]any{"label": at}, "plain": at,
			"matchExpressions": []any{filled(reflect.TypeFor[Requirement](), at+".matchExpressions")},
		}
	case *later:
		return []any{map[string]any{"name": at, "prefix": at, "value": at}}
	case *present:
		return "2026-01-02T03:04:05Z"
	case *skipped:
		return []any{map[string]any{"manager": at}}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return filled(t.Elem(), at)
	case reflect.Slice:
		return []any{filled(t.Elem(), at+"[0]"), filled(t.Elem(), at+"[1].")}
	case reflect.Map:
		return map[string]any{"key-of-" + at: at, "another": "value"}
	case reflect.String:
		return "a \"text\" of " + at
	case reflect.Bool:
		return true
	case reflect.Struct:
		fields := map[string]any{}
		for _, f := range reflect.VisibleFields(t) {
			if name := f.Tag.Get("json"); name != "-" && name != "" {
				fields[name] = filled(f.Type, at+"."+name)
			}
		}
		return fields
	default:
		return n
	}
}

func TestScanLeavesToTheGeneralDecoderWhatIsNotPlain(t *testing.T) {
	const pod = `{"metadata":{"name":"p"},"spec":{"containers":[{"name":"a","livenessProbe":{"tcpSocket":{"port":8080}%s}}]%s}}`
	for name, rest := range map[string][2]string{
		"a number as text":        {`,"periodSeconds":"10"`},
		"a fraction":              {`,"periodSeconds":1.0`},
		"a number of 33 bits":     {`,"periodSeconds":4294967296`},
		"text that is no UTF-8":   {"", `,"hostname":"` + "\xff" + `"`},
		"half of a surrogate":     {"", `,"hostname":"\ud800"`},
		"a list for an object":    {`,"exec":[]`},
		"something deeply nested": {"", `,"x":` + strings.Repeat("[", 70) + strings.Repeat("]", 70)},
		"a missing quote":         {"", `,"hostname":"x`},
		"a comma too many":        {`,`},
		"a control character":     {"", ",\"hostname\":\"a\nb\""},
		"an unknown escape":       {"", `,"x":"\x"`},
		"a number with a zero":    {"", `,"x":012`},
		"a word of its own":       {"", `,"x":nil`},
	} {
		t.Run(name, func(t *testing.T) {
			data := []byte(strings.NewReplacer("%s}}]", rest[0]+"}}]", "%s}}", rest[1]+"}}").Replace(pod))
			if got := DefaultKinds().Scan(jsonscan.New(data), "v1", "Pod"); got != nil {
				t.Errorf("read %s as %+v", data, got)
			}
		})
	}
}

// FuzzScan holds reading by hand to the general decoder: what it reads at all, it
// reads to the same object, and to the same place.
func FuzzScan(f *testing.F) {
	f.Add([]byte(deployment))
	f.Add([]byte(`{"metadata":null,"spec":{"template":{"spec":{"containers":[{"name":"a","name":null,"env":[],"command":[null,"x"]}]},"spec":{"os":{"name":"windows"}}}}}`))
	f.Add([]byte(`{"spec":{"replicas":-1,"selector":{"a":"b","matchLabels":{"a":null}},"selector":{"matchExpressions":[{"key":"k","values":[]}]}}}`))
	f.Add([]byte("{\"spec\":{\"containers\":[{\"livenessProbe\":{\"exec\":{\"command\":[\"\\u00e9\",\"\u00e9\",\"\xff\"]},\"grpc\":{\"port\":\"x\"}},\"env\":[{\"name\":\"A\"}]}],\"readinessGates\":[{},null]}}"))
	f.Add([]byte(`{"spec":{"strategy":{"rollingUpdate":{"maxSurge":"5%","maxUnavailable":0}},"x":[1e5,-0.5,{},[],true,false,null,"\n\u0000"]}} tail`))
	if review, err := os.ReadFile("../webhook/testdata/bench/deployment.json"); err == nil {
		f.Add(review)
	}
	all := DefaultKinds()
	kinds := [][2]string{{"v1", "Pod"}, {"apps/v1", "Deployment"}, {"batch/v1", "CronJob"}}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, k := range kinds {
			s := jsonscan.New(data)
			got := all.Scan(s, k[0], k[1])
			if got == nil {
				continue
			}
			want, err := generally(data, k[0], k[1])
			if err != nil {
				t.Fatalf("%s: read %q, but: %v", k[1], data, err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%s: %q (-general +scan)\n%s", k[1], data, diff)
			}
		}
	})
}
