package command

import (
	"strings"

	"github.com/probity-dev/probity/validate/dependency"
	"github.com/probity-dev/probity/validate/dependency/endpoint"
)

// askHTTP judges a client by its URLs.
func (r *run) askHTTP(c *compiled, k *call, in invocation, text string) {
	for _, t := range addresses(k.proxy) {
		if p := r.locate(t.host, subject{}); p.reach >= reachLikely {
			a := p.answer()
			a.Evidence, a.Source = text, c.Source
			r.report(a)
			return
		}
	}
	if v := c.verb(k, in); v != nil {
		a := v.answer(c)
		a.Evidence = text
		r.report(a)
		return
	}
	if len(k.targets) == 0 {
		r.askDefault(c, k, place{}, text)
		return
	}
	for _, t := range k.targets {
		t.host = k.mapped(t)
		if k.socket {
			t.host = socketHost
		}
		if t.port == "" {
			t.port = k.port
		}
		r.web(t, k.headers, text, k.doubt)
	}
}

// mapped returns the host that curl connects to in place of the URL's
// (https://curl.se/docs/manpage.html, --resolve and --connect-to).
func (k *call) mapped(t target) string {
	for _, m := range k.maps {
		host, rest, _ := strings.Cut(strings.TrimLeft(m, "+-"), ":")
		if host != "" && host != "*" && !strings.EqualFold(host, t.host) {
			continue
		}
		_, address, _ := strings.Cut(rest, ":")
		if address == "" || address[0] == ':' {
			return t.host // another port of the same host
		}
		return hostPort(address).host
	}
	return t.host
}

// web judges an HTTP request. Doubt is set when it is not certain that the
// request is made.
func (r *run) web(t target, headers []endpoint.Header, text string, doubt bool) {
	p := r.locate(t.host, subject{})
	switch {
	case p.reach >= reachLikely:
		r.reportPlace(p, doubt, text)
		return
	case p.reach == reachNothing:
		r.fault(p.fault)
		r.report(dependency.Answer{Evidence: text})
		return
	case p.reach == reachUnknown:
		r.report(dependency.Answer{Evidence: text})
		return
	case !isWebScheme(t.scheme):
		r.report(dependency.Answer{Scope: dependency.Process, Asks: asksPort, Evidence: text})
		return
	}
	port := t.port
	if port == "" {
		port = defaultPort(t.scheme)
	}
	a := r.endpoints.HTTP(endpoint.Request{
		Path: r.render(t.path), Port: r.render(port), Image: r.req.Image, Headers: headers,
	})
	if a.Asks == "" {
		a.Asks = "an HTTP endpoint of this pod"
	}
	if doubt && (a.Scope == dependency.Shared || a.Readiness) {
		a.Likely = true
	}
	a.Evidence = text
	r.report(a)
}

func defaultPort(scheme string) string {
	if scheme == "https" || scheme == "wss" {
		return "443"
	}
	return "80"
}

// askName judges the resolution of a name.
func (r *run) askName(c *compiled, k *call, in invocation, text string) {
	if v := c.verb(k, in); v != nil {
		a := v.answer(c)
		a.Evidence = text
		r.report(a)
		return
	}
	if len(k.servers) > 0 {
		// The server is asked; the name is only what it is asked for.
		k.given = true
		for _, s := range k.servers {
			k.targets = append(k.targets, hostList(s)...)
		}
		far := r.furthest(c, k)
		if far.reach >= reachLikely {
			r.reportPlace(far, false, text)
			return
		}
		r.askDefault(c, k, far, text)
		return
	}
	for _, name := range k.names {
		p := r.locate(name, subject{})
		if p.reach == reachLocal || isNumericAddress(name) {
			continue
		}
		r.report(dependency.Answer{Scope: dependency.Shared, Asks: c.Asks, Evidence: text, Source: c.Source})
		return
	}
	r.report(dependency.Answer{Scope: dependency.Process, Asks: asksLocal, Evidence: text})
}
