package complaints

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr/funcr"
	"github.com/google/go-cmp/cmp"
)

func TestComplaintsAreBounded(t *testing.T) {
	var lines []string
	log := funcr.New(func(_, args string) { lines = append(lines, args) }, funcr.Options{})
	var l Log
	now := time.Unix(1, 0)
	for range 25 {
		l.Info(log, now, "refused", errors.New("no"), "path", "/a")
	}
	if len(lines) != maxLines {
		t.Errorf("%d lines in a second, want %d", len(lines), maxLines)
	}
	lines = nil
	l.Info(log, now.Add(time.Second), "refused", errors.New(strings.Repeat("n", 2*maxReason)))
	l.Info(log, now.Add(time.Second), "refused", errors.New("no"))
	want := []string{
		`"level"=0 "msg"="refused" "untold"=15 "reason"="` + strings.Repeat("n", maxReason-3) + `..."`,
		`"level"=0 "msg"="refused" "reason"="no"`,
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Error(diff)
	}
}
