package command

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/probity-dev/probity/validate/dependency"
)

// client judges what a client asks.
func (r *run) client(c *compiled, in invocation, name string) {
	r.slow(c.Heavy, name)
	if r.shells == 0 {
		r.unexpandedItems(in)
	}
	k := r.parseCall(c, in)
	if in.stdin != "" {
		k.say(in.stdin)
	}
	text := written(in.words, k.isSecret)
	if r.askCode(c, k, text) {
		return
	}
	switch c.Protocol {
	case HTTP:
		r.askHTTP(c, k, in, text)
	case Name:
		r.askName(c, k, in, text)
	default:
		r.askNative(c, k, in, text)
	}
}

// unexpandedItems notes what only a shell would expand.
func (r *run) unexpandedItems(in invocation) {
	for _, w := range in.args() {
		if name := shellVariable(w.raw); name != "" {
			r.fault("no shell reads " + name + " here, so it stays as it is written; run the command in " + `["sh", "-c", ...]`)
		}
	}
}

// shellVariable returns a reference such as $HOSTNAME in an item that holds no
// text of another kind: queries and patterns have dollar signs of their own.
func shellVariable(item string) string {
	i := strings.IndexByte(item, '$')
	if i < 0 || strings.ContainsAny(item, " \t\n'\"\\^*") {
		return ""
	}
	name, brace := strings.CutPrefix(item[i+1:], "{")
	end := 0
	for end < len(name) && (name[end] == '_' || 'A' <= name[end] && name[end] <= 'Z' || end > 0 && '0' <= name[end] && name[end] <= '9') {
		end++
	}
	if end < 2 || end > maxEvidence/2 || !brace && end < len(name) && isWordByte(name[end]) {
		return ""
	}
	return "$" + name[:end]
}

// askCode judges the code that a console is given, and tells whether it says all.
// Code that shows nothing still runs in an application with its own habits.
func (r *run) askCode(c *compiled, k *call, text string) bool {
	told := false
	for _, code := range k.code {
		if !strings.ContainsAny(code, " (.:") || extension(code) != "" && !strings.ContainsAny(code, " (") {
			continue // a file
		}
		a, rank := r.apart(func() { r.code(code, languageOf(c.Heavy), text) })
		if rank > rankUnknown {
			r.report(a)
			told = true
		}
	}
	return told
}

// askNative judges a client by its address, then by its verb.
func (r *run) askNative(c *compiled, k *call, in invocation, text string) {
	r.readEnvironment(c, k)
	far := r.furthest(c, k)
	switch {
	case far.reach >= reachLikely:
		a := far.answer()
		a.Evidence, a.Source = text, c.Source
		r.report(a)
		return
	case far.emptied && c.Protocol == GRPC:
		far = place{reach: reachLocal} // Go dials ":50051" on this machine
	case far.reach == reachNothing:
		r.fault(far.fault)
	}
	if v := c.verb(k, in); v != nil {
		a := v.answer(c)
		a.Evidence = text
		r.report(a)
		return
	}
	r.askDefault(c, k, far, text)
}

// askDefault judges what is asked of a server that is not another host.
func (r *run) askDefault(c *compiled, k *call, far place, text string) {
	local := dependency.Answer{Scope: dependency.Instance, Asks: "its own " + c.Product, Evidence: text, Source: c.Source}
	switch {
	case c.Protocol == GRPC && k.given && far.reach == reachLocal:
		r.askService(k, text)
	case c.Protocol == TCP && k.given && far.reach == reachLocal:
		r.report(dependency.Answer{Scope: dependency.Process, Asks: asksPort, Evidence: text, Source: c.Source})
	case k.given && far.reach != reachLocal:
		r.report(dependency.Answer{Evidence: text})
	case k.given:
		if relay := r.relay(c, k); relay != nil {
			r.report(dependency.Answer{
				Scope: dependency.Shared, Likely: true, Asks: "the server behind " + relay.Product,
				Evidence: text, Source: relay.Source,
			})
			return
		}
		r.report(local)
	default:
		r.askNobodyNamed(c, k, local)
	}
}

// askNobodyNamed judges a client that is told no address.
func (r *run) askNobodyNamed(c *compiled, k *call, local dependency.Answer) {
	switch c.Default {
	case DefaultShared, DefaultLikely:
		local.Scope, local.Likely, local.Asks = dependency.Shared, c.Default == DefaultLikely, c.Asks
		local.Instead = c.Instead
		r.report(local)
	case DefaultLocal:
		if relay := r.relay(c, k); relay != nil {
			local.Scope, local.Likely = dependency.Shared, true
			local.Asks, local.Source = "the server behind "+relay.Product, relay.Source
		}
		r.report(local)
	case DefaultUnknown:
		r.report(dependency.Answer{Evidence: local.Evidence})
	}
}

// readEnvironment takes the address from the variables that the client reads by
// itself.
func (r *run) readEnvironment(c *compiled, k *call) {
	if k.given {
		return
	}
	for _, name := range c.env {
		value, ok := r.variable(name)
		if !ok || value == "" {
			continue
		}
		if s, only := r.onlySymbol(value); only {
			k.targets = append(k.targets, target{host: value})
			k.given = k.given || s.kind != symData
			continue
		}
		k.targets = append(k.targets, addresses(value)...)
		k.given = true
	}
}

// furthest returns the place of the target that is farthest away.
func (r *run) furthest(c *compiled, k *call) place {
	var far place
	if k.socket || k.node != "" && r.isOwnNode(k.node) {
		far.reach = reachLocal
	}
	if k.node != "" && far.reach != reachLocal {
		_, host, _ := strings.Cut(k.node, "@")
		k.targets = append(k.targets, target{host: host})
		k.given = true
	}
	for _, t := range k.targets {
		p := r.locate(t.host, subject{c})
		if t.scheme == conninfoScheme {
			p = r.locateConninfo(t.host, c)
			if p.reach == reachUnknown {
				continue
			}
			k.given = true
		}
		if p.replica && far.replica && p.asks != far.asks {
			far = place{reach: reachFar, asks: "the other replicas"} // one of the two is another pod
		}
		if p.reach > far.reach {
			far = p
		}
	}
	return far
}

// isOwnNode tells whether an Erlang node such as rabbit@host is on this pod.
func (r *run) isOwnNode(node string) bool {
	_, host, ok := strings.Cut(node, "@")
	return !ok || r.locate(host, subject{}).reach == reachLocal
}

// locateConninfo judges a variable in the place of a database's name. Only a
// name that says "URL" is taken for an address.
func (r *run) locateConninfo(value string, c *compiled) place {
	s, ok := r.onlySymbol(value)
	if !ok || s.kind != symVar || !holdsAddress(s.name) {
		return place{}
	}
	return r.locateVariable(s, subject{c})
}

// verb returns the first verb that the call says.
func (c *compiled) verb(k *call, in invocation) *compiledVerb {
	for i := range c.verbs {
		v := &c.verbs[i]
		if v.Output && !in.reads && !k.failsItself() {
			continue
		}
		for _, phrase := range v.phrases {
			if k.says(phrase) {
				return v
			}
		}
	}
	return nil
}

// failsItself tells whether a query ends the client with a failure of its own.
func (k *call) failsItself() bool {
	for _, end := range [...]string{"quit(", "process.exit", "throw ", "exit(", "assert"} {
		if bytes.Contains(k.text, []byte(end)) {
			return true
		}
	}
	return false
}

// relay returns the proxy that answers at the local address in the server's place.
func (r *run) relay(c *compiled, k *call) *Relay {
	db, port := k.db, k.port
	for _, t := range k.targets {
		if name := strings.Trim(t.path, "/"); name != "" {
			db, _, _ = strings.Cut(name, "?")
		}
		if t.port != "" {
			port = t.port
		}
	}
	for i := range c.Relays {
		y := &c.Relays[i]
		known := y.Port != 0 && port == strconv.Itoa(int(y.Port)) || r.hasImage(y.Images)
		if known && !takesValue(y.Own, db) && !takesValue(y.Own, port) {
			return y
		}
	}
	return nil
}

// hasImage tells whether the image's name has one of these words.
func (r *run) hasImage(words string) bool {
	name := imageName(r.req.Image)
	for w := range strings.FieldsSeq(words) {
		if strings.Contains(name, w) && hasWord(name, func(part string) bool { return part == w }) {
			return true
		}
	}
	return false
}

// askService judges a gRPC health check of this pod's own server.
func (r *run) askService(k *call, text string) {
	a := r.endpoints.GRPC(r.render(k.service))
	if a.Scope == dependency.Unknown && !a.Readiness {
		a = dependency.Answer{Scope: dependency.Instance, Asks: "the health service of its own gRPC server"}
	}
	a.Evidence = text
	r.report(a)
}
