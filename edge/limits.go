package edge

import (
	"net/http"
	"time"
)

const (
	// readHeaderTimeout bounds the TLS handshake, and the headers of a request in
	// HTTP/1.1. API servers do both in milliseconds.
	readHeaderTimeout = 5 * time.Second
	// readTimeout bounds a request, its body included: API servers have the whole
	// body before they call, and give up on the call after two seconds (30 where a
	// webhook says so, and by then with an answer long overdue).
	readTimeout = 5 * time.Second
	// writeTimeout bounds an answer from the request's headers on. It is the longest
	// timeoutSeconds that a webhook may have; whoever reads slower has given up.
	writeTimeout = 30 * time.Second
	// idleTimeout is a little longer than that of Go's clients, API servers among
	// them, which is 90 s: so it is the client that closes, and none writes into a
	// connection that goes away at that moment.
	idleTimeout = 100 * time.Second
	// pingAfter and pingTimeout find connections whose other end is gone without a
	// word, as after a failed node; they would count for idleTimeout, and for ever
	// with a request in flight.
	pingAfter   = 30 * time.Second
	pingTimeout = 15 * time.Second

	// maxHeaderBytes bounds the headers of a request. An API server sends under 1 KiB.
	maxHeaderBytes = 16 << 10

	// maxStreams bounds the requests in flight on one connection. An API server with
	// more opens further connections. It bounds what a flood of resets can start,
	// too: net/http ends a connection whose reset requests still run and that has
	// opened four times as many.
	maxStreams = 250
	// streamBuffer and connectionBuffer bound what waits unread, of one request and
	// of one connection: a request that is not read holds up no other one. Larger
	// bodies are sent as they are read.
	streamBuffer     = 256 << 10
	connectionBuffer = 1 << 20
	// maxFrame is the protocol's smallest choice, and what a connection holds for
	// reading.
	maxFrame = 16 << 10
	// maxHeaderTable is HPACK's default, for as many connections as there are.
	maxHeaderTable = 4 << 10

	// maxConnections bounds connections, which cost some 60 KiB each: 30 MiB of the
	// container's 256. A hundred API servers with five each would fit. When there
	// are more, the ones that do nothing go first, see connections.
	maxConnections = 512
)

// limited returns a server with the limits.
func limited() *http.Server {
	return &http.Server{
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		HTTP2: &http.HTTP2Config{
			MaxConcurrentStreams:          maxStreams,
			MaxReceiveBufferPerStream:     streamBuffer,
			MaxReceiveBufferPerConnection: connectionBuffer,
			MaxReadFrameSize:              maxFrame,
			MaxDecoderHeaderTableSize:     maxHeaderTable,
			MaxEncoderHeaderTableSize:     maxHeaderTable,
			SendPingTimeout:               pingAfter,
			PingTimeout:                   pingTimeout,
			WriteByteTimeout:              writeTimeout,
		},
	}
}
