package edge_test

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// peer is a client of HTTP/2 that does what no client should.
type peer struct {
	*http2.Framer
	conn    net.Conn
	out     *bufio.Writer
	encoder *hpack.Encoder
	headers bytes.Buffer
}

func (r *running) peer(t *testing.T) *peer {
	t.Helper()
	conn, err := tls.Dial("tcp", r.addr, &tls.Config{RootCAs: r.roots, NextProtos: []string{"h2"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(deadline)); err != nil {
		t.Fatal(err)
	}
	p := &peer{conn: conn, out: bufio.NewWriterSize(conn, 16<<10)}
	p.Framer = http2.NewFramer(p.out, conn)
	p.encoder = hpack.NewEncoder(&p.headers)
	if _, err := io.WriteString(conn, http2.ClientPreface); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(p.WriteSettings(), p.out.Flush()); err != nil {
		t.Fatal(err)
	}
	return p
}

// request opens a stream with the headers of a review, whose body is to follow.
func (p *peer) request(stream uint32) error {
	p.headers.Reset()
	for _, f := range [][2]string{{":method", "POST"}, {":scheme", "https"}, {":authority", "probity"}, {":path", "/validate"}, {"content-type", "application/json"}} {
		if err := p.encoder.WriteField(hpack.HeaderField{Name: f[0], Value: f[1]}); err != nil {
			return err
		}
	}
	return p.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: p.headers.Bytes(), EndHeaders: true})
}

// ended reads until the server ends the connection, and returns the code of its
// goodbye, if it said one.
func (p *peer) ended(t *testing.T) (code http2.ErrCode, said bool) {
	t.Helper()
	for {
		frame, err := p.ReadFrame()
		var timeout net.Error
		switch {
		case errors.As(err, &timeout) && timeout.Timeout():
			t.Fatal("the server did not end the connection")
		case err != nil:
			return code, said
		}
		if bye, ok := frame.(*http2.GoAwayFrame); ok {
			code, said = bye.ErrCode, true
		}
	}
}

// TestFloods: each ends the connection that it comes from, and nothing else. (One of
// settings does not: net/http keeps nothing of them but that an answer is due.)
func TestFloods(t *testing.T) {
	tests := []struct {
		name string
		// flood writes the n-th of many frames.
		flood func(p *peer, n uint32) error
		// code is what the server ends it with, if it can say so.
		code http2.ErrCode
	}{
		{"headers that never end (CONTINUATION)", func(p *peer, n uint32) error {
			if n == 0 {
				return p.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: nil, EndHeaders: false})
			}
			p.headers.Reset()
			if err := p.encoder.WriteField(hpack.HeaderField{Name: "x-" + strconv.Itoa(int(n)), Value: strings.Repeat("a", 4000), Sensitive: true}); err != nil {
				return err
			}
			return p.WriteContinuation(1, false, p.headers.Bytes())
		}, http2.ErrCodeProtocol},
		{"pings whose answers nobody reads", func(p *peer, _ uint32) error { return p.WritePing(false, [8]byte{1}) }, 0},
		{"more streams than are allowed", func(p *peer, n uint32) error { return p.request(2*n + 1) }, 0},
	}
	server := start(t, nil)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := server.peer(t)
			for n := range uint32(2_000_000) {
				if err := tt.flood(p, n); err != nil {
					break // the server has closed
				}
			}
			_ = p.out.Flush() // fails where the server has closed
			if code, said := p.ended(t); said && tt.code != 0 && code != tt.code {
				t.Errorf("the server said %v, want %v", code, tt.code)
			}
			server.answers(t)
		})
	}
}

// TestSettingsFlood: others are answered meanwhile.
func TestSettingsFlood(t *testing.T) {
	server := start(t, nil)
	p := server.peer(t)
	for n := range 100_000 {
		if p.WriteSettings() != nil {
			break // the server has closed
		}
		if n%50_000 == 0 {
			server.answers(t)
		}
	}
	server.answers(t)
}

// TestRapidResets: streams that are opened and reset at once, as fast as they can be
// written, start no more work than is bounded, and others are answered meanwhile.
func TestRapidResets(t *testing.T) {
	server := start(t, nil)
	p := server.peer(t)
	client := server.client(t)
	for n := range uint32(50_000) {
		if p.request(2*n+1) != nil || p.WriteRSTStream(2*n+1, http2.ErrCodeCancel) != nil {
			break // the server has closed
		}
		if n%5_000 == 0 {
			if code, answer := server.post(t, client, []byte(review)); code != http.StatusOK || answer != allowed {
				t.Errorf("meanwhile, an ordinary review got %d %s", code, answer)
			}
			if n := server.metric(t, "probity_admission_in_flight"); n > 250 {
				t.Errorf("%v reviews are in flight for one connection", n)
			}
		}
	}
	p.conn.Close()
	eventually(t, func() bool { return server.metric(t, "probity_admission_in_flight") == 0 })
	server.answers(t)
}

// TestSlowClients: each is told, or cut off, after five seconds at most, and holds
// nothing afterwards. They run side by side, since each of them takes its time.
func TestSlowClients(t *testing.T) {
	server := start(t, nil)
	raw := func(t *testing.T) net.Conn {
		t.Helper()
		conn, err := net.Dial("tcp", server.addr)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		return conn
	}
	secure := func(t *testing.T) *tls.Conn {
		t.Helper()
		conn := tls.Client(raw(t), &tls.Config{RootCAs: server.roots, ServerName: "127.0.0.1", NextProtos: []string{"http/1.1"}})
		if err := conn.Handshake(); err != nil {
			t.Fatal(err)
		}
		return conn
	}
	tests := []struct {
		name string
		// begin sends the beginning of something, and returns the connection.
		begin func(t *testing.T) net.Conn
		want  string
	}{
		{"a handshake that does not begin", raw, ""},
		{"a handshake that stops after a few bytes", func(t *testing.T) net.Conn {
			conn := raw(t)
			send(t, conn, "\x16\x03\x01\x02\x00\x01")
			return conn
		}, ""},
		{"plain HTTP to the port of TLS", func(t *testing.T) net.Conn {
			conn := raw(t)
			send(t, conn, "POST /validate HTTP/1.1\r\nHost: probity\r\n\r\n")
			return conn
		}, "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n"},
		{"headers that stop", func(t *testing.T) net.Conn {
			conn := secure(t)
			send(t, conn, "POST /validate HTTP/1.1\r\nHost: prob")
			return conn
		}, ""},
		{"headers over the limit", func(t *testing.T) net.Conn {
			conn := secure(t)
			send(t, conn, "POST /validate HTTP/1.1\r\nHost: probity\r\nX-Long: "+strings.Repeat("a", 21<<10)+"\r\n\r\n")
			return conn
		}, "HTTP/1.1 431 Request Header Fields Too Large"},
		{"a body that stops", func(t *testing.T) net.Conn {
			conn := secure(t)
			send(t, conn, "POST /validate HTTP/1.1\r\nHost: probity\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{")
			return conn
		}, "HTTP/1.1 408 Request Timeout"},
		{"a body that ends too early, in TLS that is half closed", func(t *testing.T) net.Conn {
			conn := secure(t)
			send(t, conn, "POST /validate HTTP/1.1\r\nHost: probity\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{")
			if err := conn.CloseWrite(); err != nil {
				t.Fatal(err)
			}
			return conn
		}, "HTTP/1.1 400 Bad Request"},
		{"a whole request, in TLS that is half closed then", func(t *testing.T) net.Conn {
			conn := secure(t)
			send(t, conn, "POST /validate HTTP/1.1\r\nHost: probity\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: "+strconv.Itoa(len(review))+"\r\n\r\n"+review)
			if err := conn.CloseWrite(); err != nil {
				t.Fatal(err)
			}
			return conn
		}, "HTTP/1.1 200 OK"},
	}
	t.Run("all", func(t *testing.T) {
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				t.Parallel()
				conn := tt.begin(t)
				if err := conn.SetReadDeadline(time.Now().Add(deadline)); err != nil {
					t.Fatal(err)
				}
				answer, err := io.ReadAll(conn)
				var timeout net.Error
				if errors.As(err, &timeout) && timeout.Timeout() {
					t.Fatal("the server did not end the connection")
				}
				if !strings.HasPrefix(string(answer), tt.want) {
					t.Errorf("got %q, %v, want %q", answer, err, tt.want)
				}
			})
		}
		t.Run("a body that stops, in HTTP/2", func(t *testing.T) {
			t.Parallel()
			p := server.peer(t)
			if err := errors.Join(p.request(1), p.WriteData(1, false, []byte("{")), p.out.Flush()); err != nil {
				t.Fatal(err)
			}
			for {
				frame, err := p.ReadFrame()
				if err != nil {
					t.Fatal(err)
				}
				if _, ok := frame.(*http2.HeadersFrame); ok && frame.Header().StreamID == 1 {
					return // the answer that it came too late
				}
			}
		})
	})
	eventually(t, func() bool { return server.metric(t, "probity_admission_in_flight") == 0 })
	server.answers(t)
}

func send(t *testing.T, conn net.Conn, text string) {
	t.Helper()
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
}
