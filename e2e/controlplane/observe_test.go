package controlplane

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
)

func TestDecodeAuditLogLeavesALineThatIsBeingWritten(t *testing.T) {
	got, err := decodeAuditLog([]byte(`{"auditID":"a","verb":"create"}` + "\n" + `{"auditID":"b"}` + "\n" + `{"audit`))
	if err != nil {
		t.Fatal(err)
	}
	want := []auditv1.Event{{AuditID: "a", Verb: "create"}, {AuditID: "b"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}
