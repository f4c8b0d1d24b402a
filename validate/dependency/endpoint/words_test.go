package endpoint

import (
	"strings"
	"testing"
)

// TestEachWordMeansWhatItMeans lists the words again: none may go unnoticed.
func TestEachWordMeansWhatItMeans(t *testing.T) {
	for _, c := range []struct {
		name  string
		means func(word string) bool
		words string
	}{
		{"isCompanion", isCompanion, `exporter operator agent controller sidecar reloader init plugin metrics webhook backup cli client ui
			bridge adapter injector renderer csi proxy provisioner migration migrations migrate setup test tests
			updater autoscaler scaler importer loader authenticator surveyor account`},
	} {
		for word := range strings.FieldsSeq(c.words) {
			if !c.means(word) {
				t.Errorf("%s does not know %q", c.name, word)
			}
		}
		if c.means("other") {
			t.Errorf("%s takes any word", c.name)
		}
	}
}
