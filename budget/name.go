package budget

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

// maxName is the length of an object's name (RFC 1123 subdomain).
const maxName = 253

// Name returns the name of the budget that Probity makes for a workload:
// "probity-deployment-web". A custom kind carries its group, since two groups may
// have a kind of one name.
func Name(r workload.Ref) string {
	id := validate.IdentityOf(r)
	kind := strings.ToLower(id.Kind)
	if id.Group != "apps" {
		kind += "." + id.Group
	}
	name := namePrefix + kind + "-" + id.Name
	if len(name) <= maxName {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	return strings.TrimRight(name[:maxName-9], "-.") + "-" + hex.EncodeToString(sum[:4])
}
