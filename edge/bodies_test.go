package edge_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// limit is the largest body that is taken.
const limit = 7 << 20

func withObject(object string) string {
	head, _, _ := strings.Cut(review, `{"apiVersion":"v1","kind":"Pod"`)
	return head + object + "}}"
}

// withMember puts something into the object's metadata, where anything may stand.
func withMember(member string) string {
	return strings.Replace(review, `"metadata":{`, `"metadata":{`+member+`,`, 1)
}

func TestBodiesThatNoAPIServerSends(t *testing.T) {
	var wide, colliding strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&wide, `"k%d":1,`, i)
	}
	// Keys that one letter tells apart, and that one hash of their start, end or
	// length would put together; Go's own hash has a seed that nobody knows.
	for i := range 100_000 {
		fmt.Fprintf(&colliding, `"aaaaaaaaaaaaaaaa%06daaaaaaaaaaaaaaaa":"",`, i)
	}
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	_, _ = zip.Write([]byte(review))
	_ = zip.Close()
	padding := strings.Repeat(" ", limit-len(review))
	containers := strings.TrimSuffix(strings.Repeat(`{"name":"app","livenessProbe":{"httpGet":{"path":"/health/db","port":8080}}},`, 20_000), ",")

	tests := []struct {
		name, body string
		headers    []string
		code       int
		want       string
	}{
		{"an array a hundred thousand deep", withMember(`"x":` + strings.Repeat("[", 100_000)), nil, 400, "malformed AdmissionReview"},
		{"an object as deep, closed again", withMember(`"x":` + strings.Repeat(`{"a":`, 100_000) + "1" + strings.Repeat("}", 100_000)), nil, 400, "malformed AdmissionReview"},
		{"two hundred thousand members", withMember(wide.String() + `"x":1`), nil, 200, allowed},
		{"as many labels with keys alike", withMember(`"labels":{` + colliding.String() + `"x":""}`), nil, 200, allowed},
		{"a number of a million digits", withMember(`"x":` + strings.Repeat("9", 1_000_000)), nil, 200, allowed},
		{"an exponent that no number has", withMember(`"x":1e999999999`), nil, 200, allowed},
		{"a period that no number holds", withObject(`{"spec":{"containers":[{"name":"app","livenessProbe":{"tcpSocket":{"port":1},"periodSeconds":1e999}}]}}`), nil, 200, `{"kind":"AdmissionReview"`},
		{"text that is no UTF-8", strings.Replace(review, "alice", "ali\xff\xfece", 1), nil, 200, allowed},
		{"a name that is no UTF-8", strings.Replace(review, `"name":"p"`, "\"name\":\"\xc0\xaf\"", 1), nil, 200, allowed},
		{"half of a surrogate pair", strings.Replace(review, "alice", `\ud800`, 1), nil, 200, allowed},
		{"a NUL", strings.Replace(review, "alice", `\u0000`, 1), nil, 200, allowed},
		{"a raw control character", strings.Replace(review, "alice", "\x00", 1), nil, 400, "malformed AdmissionReview"},
		{"two reviews in one body", review + review, nil, 400, "malformed AdmissionReview"},
		{"compressed", packed.String(), []string{"Content-Encoding", "gzip"}, 415, `content encoding "gzip" is not supported: must be absent`},
		{"compressed and not said so", packed.String(), nil, 400, "malformed AdmissionReview"},
		{"exactly as large as is taken", review + padding, nil, 200, allowed},
		{"one byte more", review + padding + " ", nil, 413, "the body is over the limit of 7340032 bytes"},
		{"twenty thousand faulty containers, more than etcd takes", withObject(`{"spec":{"containers":[` + containers + `]}}`), nil, 200, `{"kind":"AdmissionReview"`},
	}
	server := start(t, nil)
	client := server.client(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			code, answer := server.post(t, client, []byte(tt.body), tt.headers...)
			if code != tt.code || !strings.Contains(answer, tt.want) {
				t.Errorf("got %d %.300s\nwant %d %s", code, answer, tt.code, tt.want)
			}
			if len(answer) > 64<<10 {
				t.Errorf("the answer has %d bytes", len(answer))
			}
		})
	}
	server.answers(t)
}

// TestDuplicateMembers: the last of two members with one name counts, as in the API
// server; names that differ in the case of a letter are different names. So nobody
// can show Probity another object than the one that is stored.
func TestDuplicateMembers(t *testing.T) {
	const faulty = `{"spec":{"containers":[{"name":"app","livenessProbe":{"tcpSocket":{"port":1},"failureThreshold":1}}]}}`
	const fine = `{"spec":{"containers":[{"name":"app"}]}}`
	tests := []struct {
		name, body string
		refused    bool
	}{
		{"the faulty object is last", strings.Replace(withObject(faulty), `"object":`, `"object":`+fine+`,"object":`, 1), true},
		{"the faulty object is first", strings.Replace(withObject(fine), `"object":`, `"object":`+faulty+`,"object":`, 1), false},
		{"a fine one in other letters behind it", strings.Replace(withObject(faulty), `"object":`, `"Object":`+fine+`,"object":`, 1), true},
		{"a faulty one in other letters behind it", strings.Replace(withObject(fine), `"object":`, `"OBJECT":`+faulty+`,"object":`, 1), false},
		{"a threshold twice", withObject(strings.Replace(faulty, `"failureThreshold":1`, `"failureThreshold":9,"failureThreshold":1`, 1)), true},
		{"a threshold in other letters", withObject(strings.Replace(faulty, `"failureThreshold":1`, `"failureThreshold":1,"FailureThreshold":9`, 1)), true},
	}
	server := start(t, nil)
	client := server.client(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			code, answer := server.post(t, client, []byte(tt.body))
			if code != http.StatusOK || strings.Contains(answer, `"allowed":false`) != tt.refused {
				t.Errorf("got %d %s", code, answer)
			}
		})
	}
}
