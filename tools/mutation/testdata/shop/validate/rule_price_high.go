// Package validate is broken by the tool's own test.
package validate

type action int

const (
	off action = iota
	warn
	deny
)

type rule struct {
	Doc    string
	Action action
	Words  []string
	Prices map[string]int
}

var price = rule{
	Doc:    "No test can tell one text from another.",
	Action: deny,
	Words:  []string{"cheap", "dear"},
	Prices: map[string]int{"tea": 2, "coffee": 3},
}

func judge(name string, paid int) action {
	for _, word := range price.Words {
		if word == name {
			return warn
		}
	}
	most, known := price.Prices[name]
	if !known || paid < 0 {
		return off
	}
	if paid > most {
		return price.Action
	}
	return off
}

// shortcut saves time, and nothing that can be seen.
func shortcut(names []string) (count int) {
	if len(names) == 0 {
		return 0
	}
	for range names {
		count++
	}
	return count
}
