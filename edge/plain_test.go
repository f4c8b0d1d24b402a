package edge_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/go-logr/logr"

	"github.com/probity-dev/probity/edge"
)

// plain starts a server, and returns its address.
func plain(t *testing.T) string {
	t.Helper()
	s := edge.Plain("", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok\n")) }), logr.Discard())
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(listener) }()
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
	return listener.Addr().String()
}

// asks is a kubelet, which makes a connection for each question.
func asks(t *testing.T, addr string) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+"/livez", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Close = true
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if body, err := io.ReadAll(response.Body); err != nil || string(body) != "ok\n" {
		return fmt.Errorf("%s: %q, %w", response.Status, body, err)
	}
	return nil
}

// TestNobodyIsKeptFromAPlainPort by those who hold connections to it, whatever they
// say on them.
func TestNobodyIsKeptFromAPlainPort(t *testing.T) {
	for _, tt := range []struct{ name, says string }{
		{"nothing is asked", ""},
		{"half a request", "GET /livez HTTP/1.1\r\nHost: x\r\n"},
		{"a whole one, and the connection is kept", "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n"},
		{"a body that does not come", "POST /livez HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			addr := plain(t)
			var held []net.Conn
			for range 600 {
				conn, err := net.Dial("tcp", addr)
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close()
				if _, err := io.WriteString(conn, tt.says); err != nil {
					continue // It has been closed for another one.
				}
				held = append(held, conn)
			}
			if err := asks(t, addr); err != nil {
				t.Errorf("a kubelet was shut out: %v", err)
			}
			if n := open(t, held); n > 256 {
				t.Errorf("%d connections are open", n)
			}
		})
	}
}

// open counts the connections that the server has not closed.
func open(t *testing.T, held []net.Conn) (n int) {
	t.Helper()
	for _, conn := range held {
		if err := conn.SetReadDeadline(time.Now().Add(10 * time.Millisecond)); err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, conn); errors.Is(err, os.ErrDeadlineExceeded) {
			n++
		}
	}
	return n
}

// TestSlowClientsOfAPlainPort do not hold a connection for long.
func TestSlowClientsOfAPlainPort(t *testing.T) {
	conn, err := net.Dial("tcp", plain(t))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "GET /livez HTTP/1.1\r\n"); err != nil {
		t.Fatal(err)
	}
	if err := conn.SetReadDeadline(time.Now().Add(deadline)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, conn); err != nil {
		t.Errorf("it is not closed: %v", err)
	}
}
