package edge_test

import (
	"crypto/tls"
	"io"
	"net"
	"testing"
	"time"
)

// FuzzRequest sends bytes in place of a request, through TLS as HTTP/1.1: whatever
// they are, the server answers a good request afterwards.
func FuzzRequest(f *testing.F) {
	f.Add([]byte("POST /validate HTTP/1.1\r\nHost: probity\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"))
	f.Add([]byte("POST /mutate HTTP/1.1\r\nHost: probity\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n0\r\n\r\n"))
	f.Add([]byte("GET /livez HTTP/1.0\r\n\r\n"))
	f.Add([]byte("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"))
	f.Add([]byte("POST /validate?timeout=-1s HTTP/1.1\r\nHost: a\r\nContent-Type: application/json; charset=\"\r\n\r\n"))
	server := start(f, nil)
	good := server.client(f)
	f.Fuzz(func(t *testing.T, request []byte) {
		conn, err := tls.Dial("tcp", server.addr, &tls.Config{RootCAs: server.roots, NextProtos: []string{"http/1.1"}})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		_, _ = conn.Write(request) // fails where the server has refused it
		_ = conn.CloseWrite()
		_ = conn.SetReadDeadline(time.Now().Add(deadline))
		_, err = io.Copy(io.Discard, conn)
		if timeout, ok := err.(net.Error); ok && timeout.Timeout() { //nolint:errorlint // as the connection gives it
			t.Fatal("the server did not end the connection")
		}
		if code, answer := server.post(t, good, []byte(review)); code != 200 || answer != allowed {
			t.Fatalf("afterwards a good review got %d %s", code, answer)
		}
	})
}
