package webhook

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"sigs.k8s.io/yaml"

	"github.com/probity-dev/probity/workload"
)

// TestAReviewIsReadAlikeBothWays reads real reviews by hand and by reflection.
func TestAReviewIsReadAlikeBothWays(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*")
	if err != nil {
		t.Fatal(err)
	}
	h := newHandler(t, enforce())
	n := 0
	for _, file := range files {
		if !strings.HasSuffix(file, ".yaml") && !strings.HasSuffix(file, ".json") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		body, err := yaml.YAMLToJSON(text)
		if err != nil {
			t.Fatal(err)
		}
		n++
		for _, onePass := range []bool{true, false} {
			blank := review{Request: request{ruling: h.ruling.Load(), body: body, onePass: onePass}}
			byHand, generally := blank, blank
			if !scanReview(body, &byHand) {
				t.Errorf("%s: not read by hand", file)
				continue
			}
			if err := json.Unmarshal(body, &generally, workload.DecoderOptions()); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			if !reflect.DeepEqual(byHand, generally) {
				t.Errorf("%s: by hand\n%+v\nby reflection\n%+v", file, byHand.Request, generally.Request)
			}
		}
	}
	if n < 10 {
		t.Errorf("only %d reviews", n)
	}
}

func TestAReviewThatIsNotPlainIsLeftToTheGeneralDecoder(t *testing.T) {
	for name, body := range map[string]string{
		"text behind it":    `{"kind":"AdmissionReview","request":{"uid":"1"}} x`,
		"an escaped name":   `{"k\u0069nd":"AdmissionReview"}`,
		"a null for a text": `{"kind":null}`,
		"a wrong type":      `{"request":{"dryRun":"yes"}}`,
		"no review at all":  `[]`,
		"nothing":           ``,
	} {
		t.Run(name, func(t *testing.T) {
			r := review{Request: request{ruling: newHandler(t, enforce()).ruling.Load(), body: []byte(body)}}
			if scanReview([]byte(body), &r) {
				t.Errorf("read %s as %+v", body, r)
			}
		})
	}
}
