package goreleaser

import (
	"testing"

	"github.com/goreleaser/goreleaser/v2/pkg/config"
)

// goreleaser itself takes minutes to build; its configuration's types do not.
func TestGoreleaserKnowsEveryFieldOfItsConfiguration(t *testing.T) {
	if _, err := config.Load("../../.goreleaser.yaml"); err != nil {
		t.Error(err)
	}
}
