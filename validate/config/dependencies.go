package config

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/probity-dev/probity/validate/dependency"
	"github.com/probity-dev/probity/validate/dependency/command"
	"github.com/probity-dev/probity/validate/dependency/endpoint"
)

func (c *Config) dependencies() value {
	return object{
		fields: []field{
			{
				name: "words", value: list[string]{target: &c.Words, item: word},
				doc: "Names of your own services. payments makes /health/payments and $PAYMENTS_HOST a dependency.",
			},
			{
				name: "endpoints", value: list[endpoint.Entry]{target: &c.Endpoints, item: endpointEntry},
				doc: "Health endpoints of your own applications. They are looked at before the built-in ones.",
			},
			{
				name: "clients", value: list[command.Client]{target: &c.Clients, item: client},
				doc: "Programs of exec probes that talk to a server. They take the place of built-in ones of the same name.",
			},
		},
		after: func(p *placed) {
			var err error
			if c.known, err = c.knowledge(); err == nil {
				return
			}
			items(p, "endpoints", c.Endpoints, func(e []endpoint.Entry) error {
				_, err := endpoint.New(endpoint.Options{Entries: e})
				return err
			})
			items(p, "clients", c.Clients, func(all []command.Client) error {
				_, err := command.New(command.Options{Clients: all})
				return err
			})
			if !p.wrong() {
				p.problem("", "cannot be used together: %v", err)
			}
		},
	}
}

// items finds what a check has against the items of a list. The check builds
// large tables, so halves that pass are left alone.
func items[T any](p *placed, name string, all []T, check func([]T) error) {
	var search func(from, to int)
	search = func(from, to int) {
		if from == to || p.found >= maxProblems {
			return
		}
		err := check(all[from:to])
		if err == nil {
			return
		}
		if to-from == 1 {
			node := p.follow(p.values[name]).Content[from]
			p.decoder.problem(node, fmt.Sprintf("%s[%d]", member(p.path, name), from), "is not legal: %v", err)
			return
		}
		middle := (from + to) / 2
		search(from, middle)
		search(middle, to)
	}
	search(0, len(all))
}

// words are what package endpoint takes for a segment of a path.
var words = regexp.MustCompile(`^[^/?#%;=\s]+$`)

func word(target *string) value {
	return matching(target, "must be one word of a path or a name, such as payments", words)
}

func endpointEntry(e *endpoint.Entry) value {
	return object{
		fields: []field{
			{name: "product", doc: "What people call the application.", value: text(&e.Product), required: true},
			{
				name: "path", value: text(&e.Path), required: true,
				doc: "The last segments of the path, lower case, without query. A segment * stands for any one; / is only the root itself.",
			},
			{name: "query", doc: `What the query must say, all of it: "deep", "!deep", "type=deep", or "code=passing" for a status from 200 to 399.`, value: list[string]{target: &e.Query, item: text[string]}},
			{name: "headers", doc: "The same for headers of the probe.", value: list[string]{target: &e.Headers, item: text[string]}},
			{name: "images", doc: "Only for these images: words of the last segment of the image's name. One of images and ports must fit.", value: list[string]{target: &e.Images, item: text[string]}},
			{name: "ports", doc: "Only for these ports, by number or name.", value: list[string]{target: &e.Ports, item: port}},
			{
				name: "scope", required: true,
				value: oneOf(to(&e.Scope), choice[dependency.Scope]{"process", dependency.Process}, choice[dependency.Scope]{"instance", dependency.Instance},
					choice[dependency.Scope]{"shared", dependency.Shared}, choice[dependency.Scope]{"unknown", dependency.Unknown}),
				doc: "How far the answer reaches: process asks only whether this process answers, instance this instance about its own state, " +
					"shared something that other replicas ask too, unknown says nothing.",
			},
			{name: "likely", doc: "Whether that is likely but not certain: findings then warn where they would deny.", value: boolean(to(&e.Likely))},
			{name: "readiness", doc: "Whether it is a readiness endpoint.", value: boolean(to(&e.Readiness))},
			{name: "generic", doc: "Whether it may become anything: a plain /health.", value: boolean(to(&e.Generic))},
			{name: "asks", doc: `Completes "livenessProbe.httpGet asks ..." in messages.`, value: text(&e.Asks), required: true},
			{name: "instead", doc: "What the same application offers for liveness.", value: text(&e.Instead)},
			{name: "source", doc: "Where this can be read: a URL.", value: text(&e.Source)},
		},
	}
}

var portNames = regexp.MustCompile(`^[a-z0-9-]+$`)

// port is a number or a name.
func port(target *string) value {
	least, most := 1, 65535
	return scalar{
		want: "must be a port number or the name of a port", tags: []string{tagString, tagInt},
		is: schema{AnyOf: []*schema{{Type: "integer", Minimum: &least, Maximum: &most}, {Type: "string", Pattern: portNames.String()}}},
		set: func(t string) bool {
			*target = t
			n, err := strconv.Atoi(t)
			return portNames.MatchString(t) && (err != nil || least <= n && n <= most)
		},
	}
}

// clientSpec is a command.Client as the file writes it: with lists and mappings
// where the tables have words in a line.
type clientSpec struct {
	images, arguments, environment []string
	options                        map[string]string
}

func client(c *command.Client) value {
	var spec clientSpec
	several := func(target *[]string) value { return list[string]{target: target, item: token} }
	return object{
		fields: []field{
			{name: "names", doc: "Names of the program, lower case, without directory and .exe.", value: given(list[string]{target: &c.Names, item: token}), required: true},
			{name: "product", doc: "What the server is called in messages.", value: text(&c.Product), required: true},
			{name: "images", doc: "Words in the names of images that run the server itself: there the client may ask its own.", value: several(&spec.images)},
			{name: "port", doc: "The server's port. A pod that declares it runs the server.", value: count(func(n int) { c.Port = int32(n) }, 1)}, //nolint:gosec // count reads 31 bits
			{
				name: "options", value: dictionary[string]{&spec.options, token},
				doc: "The options that take a value, each with what the value is: host, port, url, db, socket, secret, query, name or value. All others are switches.",
			},
			{
				name: "arguments", value: several(&spec.arguments),
				doc: "What the arguments are that are no options, in order; the last holds for all that follow: word, host, url, db, port, query, name or value. Default: word.",
			},
			{
				name: "style", doc: `How options are written: short for -h db and -hdb, long for -addr db. Default: short.`,
				value: oneOf(to(&c.Style), choice[command.Style]{"short", command.Getopt}, choice[command.Style]{"long", command.LongDash}),
			},
			{name: "environment", doc: "Variables that the program reads an address from.", value: several(&spec.environment)},
			{
				name: "default", doc: "Whom it asks when it is told no address: local, shared, likely (shared, unless it is configured otherwise), unknown or none. Default: local.",
				value: oneOf(to(&c.Default), choice[command.Default]{"local", command.DefaultLocal}, choice[command.Default]{"shared", command.DefaultShared},
					choice[command.Default]{"likely", command.DefaultLikely}, choice[command.Default]{"unknown", command.DefaultUnknown}, choice[command.Default]{"none", command.DefaultNone}),
			},
			{name: "asks", doc: `Completes "livenessProbe.exec asks ..." for a default that is shared.`, value: text(&c.Asks)},
			{
				name: "protocol", doc: "What it does at its address: native asks what verbs say, http what the URL's path says, grpc what the service says, tcp only connects, name resolves. Default: native.",
				value: oneOf(to(&c.Protocol), choice[command.Protocol]{"native", command.Native}, choice[command.Protocol]{"http", command.HTTP},
					choice[command.Protocol]{"grpc", command.GRPC}, choice[command.Protocol]{"tcp", command.TCP}, choice[command.Protocol]{"name", command.Name}),
			},
			{name: "verbs", doc: "What can be asked of the server; the first that fits counts.", value: list[command.Verb]{target: &c.Verbs, item: verb}},
			{name: "heavy", doc: "The slow runtime that it starts, such as a JVM.", value: text(&c.Heavy)},
			{name: "source", doc: "Where this can be read: a URL.", value: text(&c.Source)},
		},
		after: func(*placed) {
			c.Servers = strings.Join(spec.images, " ")
			c.Args = strings.Join(spec.arguments, " ")
			c.Env = strings.Join(spec.environment, " ")
			var options []string
			for name, role := range spec.options {
				options = append(options, name+":"+role)
			}
			slices.Sort(options)
			c.Flags = strings.Join(options, " ")
		},
	}
}

func verb(v *command.Verb) value {
	return object{fields: []field{
		{name: "match", doc: `Words that follow each other in the arguments, lower case; | separates alternatives.`, value: text(&v.Match), required: true},
		{name: "asks", doc: `Completes "livenessProbe.exec asks ...".`, value: text(&v.Asks), required: true},
		{name: "local", doc: "Whether this instance answers by itself.", value: boolean(to(&v.Local))},
		{name: "output", doc: "Whether only the output tells, not the exit status.", value: boolean(to(&v.Output))},
		{name: "likely", doc: "Whether that is likely but not certain.", value: boolean(to(&v.Likely))},
		{name: "readiness", doc: "Whether it is a readiness check.", value: boolean(to(&v.Readiness))},
		{name: "source", doc: "Where this can be read: a URL.", value: text(&v.Source)},
	}}
}

// tokens are without blanks, by which the tables separate them.
var tokens = regexp.MustCompile(`^\S+$`)

func token(target *string) value { return matching(target, "must be one word without blanks", tokens) }
