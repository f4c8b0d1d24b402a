// Package forms holds one of each that can be broken, and some that cannot.
package forms

import "fmt"

const inConstants = 3

type size int

const (
	small size = iota
	large
)

type entry struct {
	Name   string
	Source string
	Sizes  [2]size
	Deep   bool
}

var table = []entry{
	{Name: "a", Source: "https://example.com", Sizes: [2]size{small, large}},
	{Name: "b", Deep: true},
}

var byName = map[string][]string{
	"a": {"one", "two"},
}

func compares(a, b int) bool { return a < b && !(a == 7) }

func guards(a []int) int {
	if len(a) > inConstants {
		return 1
	}
	for i := 0; i < len(a); i++ {
		if a[i] < 0 {
			fmt.Println("negative")
			continue
		}
		a[i] += make([]int, 4)[0]
	}
	return len(a) - 2
}

func chooses(name string, of size) size {
	switch name {
	case "a", "b":
		return large
	}
	switch {
	case of == large:
		fmt.Println("large")
		return of
	default:
		panic("small")
	}
}
