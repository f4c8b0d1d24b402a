package edge

import (
	stdlog "log"
	"net/http"

	"github.com/go-logr/logr"
)

// maxPlain bounds the connections of a Plain server, which cost some 10 KiB each. A
// kubelet and Prometheus need two or three.
const maxPlain = 256

// Plain returns a server of HTTP for what is answered at once to everybody, such as a
// kubelet, in a Pod whose port everybody can reach. It has the limits of a Server on
// what clients send and on how slow they are. Of too many connections the one that has
// been as it is for longest is closed: who asks and takes the answer is not among them.
func Plain(addr string, handler http.Handler, log logr.Logger) *http.Server {
	all := newConnections(maxPlain, func() {})
	all.quick = true
	s := limited()
	s.Addr, s.Handler, s.ConnState = addr, handler, all.changed
	s.ErrorLog = stdlog.New(httpLog{log}, "", 0)
	return s
}
