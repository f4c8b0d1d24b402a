package endpoint

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/probity-dev/probity/validate/dependency"
)

func TestEntriesAndWordsOfTheConfiguration(t *testing.T) {
	c, err := New(Options{
		Entries: []Entry{
			{Product: "Shop", Path: "/shop/*/deepcheck", Scope: dependency.Shared, Asks: "the warehouse"},
			{Product: "Shop", Path: "/actuator/health", Scope: dependency.Process, Asks: "this process only"},
			{Product: "Shop", Path: "/state", Headers: []string{"x-mode=deep"}, Scope: dependency.Shared, Asks: "the warehouse"},
			{Product: "Shop", Path: "/state", Headers: []string{"!x-mode"}, Scope: dependency.Process, Asks: "this process only"},
			{Product: "Shop", Path: "/part", Query: []string{"skip=db"}, Scope: dependency.Process, Asks: "this process only"},
			{Product: "Shop", Path: "/health", Images: []string{"shop-api"}, Scope: dependency.Process, Asks: "this process only"},
		},
		Words: []string{"Payments", "price-list"},
	})
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		request Request
		want    dependency.Answer
	}{
		"an entry with any segment": {
			request: Request{Path: "/shop/eu/deepcheck"},
			want:    dependency.Answer{Scope: dependency.Shared, Asks: "the warehouse", Evidence: "/shop/eu/deepcheck"},
		},
		"an entry in place of a built-in one": {
			request: Request{Path: "/actuator/health"},
			want:    dependency.Answer{Scope: dependency.Process, Asks: "this process only", Evidence: "/actuator/health"},
		},
		"an entry for an image of one's own": {
			request: Request{Path: "/health", Image: "registry.example/shop-api:1"},
			want:    dependency.Answer{Scope: dependency.Process, Asks: "this process only", Evidence: "/health"},
		},
		"an entry by the value of a header": {
			request: Request{Path: "/state", Headers: []Header{{"X-Mode", "Deep"}}},
			want:    dependency.Answer{Scope: dependency.Shared, Asks: "the warehouse", Evidence: "/state"},
		},
		"an entry by a header that is not there": {
			request: Request{Path: "/state", Headers: []Header{{"Accept", "text/plain"}}},
			want:    dependency.Answer{Scope: dependency.Process, Asks: "this process only", Evidence: "/state"},
		},
		"no entry for another value of the header": {
			request: Request{Path: "/state", Headers: []Header{{"X-Mode", "other"}}},
		},
		"an entry by a parameter that is given twice": {
			request: Request{Path: "/part?skip=cache&skip=db"},
			want:    dependency.Answer{Scope: dependency.Process, Asks: "this process only", Evidence: "/part?skip=cache&skip=db"},
		},
		"a word in a health context": {
			request: Request{Path: "/health/payments"},
			want:    dependency.Answer{Scope: dependency.Shared, Asks: `"payments"`, Evidence: "/health/payments"},
		},
		"a word of two words": {
			request: Request{Path: "/health/Price-List"},
			want:    dependency.Answer{Scope: dependency.Shared, Asks: `"price-list"`, Evidence: "/health/Price-List"},
		},
		"a word outside of a health context": {request: Request{Path: "/payments"}},
		"a word as the name of the service": {
			request: Request{Path: "/payments/livez"},
			want:    dependency.Answer{Scope: dependency.Process, Asks: asksProcess, Evidence: "/payments/livez"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, c.HTTP(test.request)); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
		})
	}

	t.Run("a word as a gRPC service", func(t *testing.T) {
		want := dependency.Answer{Scope: dependency.Shared, Asks: `"payments"`, Evidence: "payments"}
		if diff := cmp.Diff(want, c.GRPC("payments")); diff != "" {
			t.Errorf("answer (-want +got):\n%s", diff)
		}
	})
	t.Run("the default classifier does not learn them", func(t *testing.T) {
		if diff := cmp.Diff(dependency.Answer{}, HTTP(Request{Path: "/health/payments"})); diff != "" {
			t.Errorf("answer (-want +got):\n%s", diff)
		}
	})
}

func TestMalformedOptionsAreNamed(t *testing.T) {
	good := Entry{Product: "Shop", Path: "/deep", Scope: dependency.Shared, Asks: "the warehouse"}
	with := func(change func(*Entry)) Options {
		e := good
		change(&e)
		return Options{Entries: []Entry{e}}
	}
	tests := map[string]struct {
		options Options
		want    string
	}{
		"no product": {
			with(func(e *Entry) { e.Product = "" }),
			`endpoint entry "" "/deep": product must not be empty`,
		},
		"no text": {
			with(func(e *Entry) { e.Asks = "" }),
			`endpoint entry "Shop" "/deep": asks must not be empty`,
		},
		"a scope that does not exist": {
			with(func(e *Entry) { e.Scope = 9 }),
			`endpoint entry "Shop" "/deep": scope 9 must be unknown, process, this instance or shared dependency`,
		},
		"a path without slash": {
			with(func(e *Entry) { e.Path = "deep" }),
			`endpoint entry "Shop" "deep": path must start with a slash`,
		},
		"a path with a query": {
			with(func(e *Entry) { e.Path = "/deep?x=1" }),
			`endpoint entry "Shop" "/deep?x=1": path must be lower case, decoded and without query; a query goes into the field of that name`,
		},
		"a path with a pattern inside of a segment": {
			with(func(e *Entry) { e.Path = "/deep*" }),
			`endpoint entry "Shop" "/deep*": path must have whole segments only: "deep*" is none`,
		},
		"a path of wildcards": {
			with(func(e *Entry) { e.Path = "/*/*" }),
			`endpoint entry "Shop" "/*/*": path must have at least one segment that is not "*"`,
		},
		"an image with a tag": {
			with(func(e *Entry) { e.Images = []string{"shop:1"} }),
			`endpoint entry "Shop" "/deep": image "shop:1" must be the lower-case last segment of an image name, without tag`,
		},
		"an empty port": {
			with(func(e *Entry) { e.Ports = []string{""} }),
			`endpoint entry "Shop" "/deep": ports must not hold an empty name`,
		},
		"a condition without value": {
			with(func(e *Entry) { e.Query = []string{"x="} }),
			`endpoint entry "Shop" "/deep": condition "x=" must be "name", "!name", "name=value" or "name=passing"`,
		},
		"a condition that is absent and has a value": {
			with(func(e *Entry) { e.Headers = []string{"!x=1"} }),
			`endpoint entry "Shop" "/deep": condition "!x=1" must be "name", "!name", "name=value" or "name=passing"`,
		},
		"a generic dependency": {
			with(func(e *Entry) { e.Generic = true }),
			`endpoint entry "Shop" "/deep": generic must not be set on a shared dependency`,
		},
		"a word of two segments": {
			Options{Words: []string{"a/b"}},
			`dependency word "a/b" must be one path segment, decoded and not empty`,
		},
		"an empty word": {
			Options{Words: []string{""}},
			`dependency word "" must be one path segment, decoded and not empty`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := New(test.options)
			if err == nil {
				t.Fatal("no error")
			}
			if diff := cmp.Diff(test.want, err.Error()); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
}
