package edge

import (
	"crypto/tls"
	"net"
	"net/http"
	"sync"
)

// connections bounds how many there are. One too many does not wait in line
// behind those who hold the others: a connection with no request in flight is
// closed for it, and among those the one that has been so for longest. A client
// that is at work is never closed, and one that comes back gets in at once.
// When all are at work, the new one is closed.
type connections struct {
	most int
	// quick: work takes no time, so who is at it for longest is slow on purpose. All
	// that counts is for how long a connection has been as it is.
	quick   bool
	refused func()

	mu    sync.Mutex
	all   map[net.Conn]*connection
	clock uint64
}

type connection struct {
	// since counts the changes of state, so that the smallest is the oldest.
	since uint64
	// working is set while requests are in flight; shaken, once there was one.
	working, shaken bool
}

func newConnections(most int, refused func()) *connections {
	return &connections{most: most, refused: refused, all: map[net.Conn]*connection{}}
}

// changed is http.Server's ConnState.
func (c *connections) changed(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clock++
	switch state {
	case http.StateNew:
		if len(c.all) >= c.most {
			c.refused()
			victim := c.idlest()
			if victim == nil {
				victim = conn
			}
			delete(c.all, victim)
			cut(victim)
			if victim == conn {
				return
			}
		}
		c.all[conn] = &connection{since: c.clock, shaken: c.quick}
	case http.StateActive, http.StateIdle:
		if known := c.all[conn]; known != nil {
			*known = connection{since: c.clock, working: state == http.StateActive && !c.quick, shaken: true}
		}
	case http.StateClosed, http.StateHijacked:
		delete(c.all, conn)
	}
}

// idlest returns a connection to close, first one of those that never asked
// anything. The caller holds the mutex.
func (c *connections) idlest() net.Conn {
	var found net.Conn
	var best *connection
	for conn, k := range c.all {
		switch {
		case k.working:
		case best == nil, best.shaken && !k.shaken, best.shaken == k.shaken && k.since < best.since:
			found, best = conn, k
		}
	}
	return found
}

// cut closes a connection without a word: to say goodbye in TLS could block.
func cut(conn net.Conn) {
	if secure, ok := conn.(*tls.Conn); ok {
		conn = secure.NetConn()
	}
	_ = conn.Close()
}
