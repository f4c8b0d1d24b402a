package command

import "strings"

// loop gives the variable of a loop over a list of strings all of them, as a list
// of hosts: %w[db cache].each { |h| ... }, for h in ["db", "cache"],
// ["db"].forEach(h => ...).
func (c *reader) loop(i int) {
	var open, name int
	switch {
	case c.is(i, "for") && c.at(i+1).kind == tokName && c.is(i+2, "in"):
		open, name = i+3, i+1 // Python
	case c.is(i, "for") && c.is(i+1, "(") && c.at(i+3).kind == tokName && c.is(i+4, "of"):
		open, name = i+5, i+3 // for (const h of [...])
	case c.is(i, "["):
		open = i
	default:
		return
	}
	items, next := c.stringList(open)
	if len(items) == 0 {
		return
	}
	if name == 0 {
		name = c.loopVariable(next)
	}
	if name > 0 && len(c.values) < maxNames {
		c.values[c.at(name).text] = bounded(strings.Join(items, ","))
	}
}

// maxNames bounds the names of the code whose values are kept.
const maxNames = 256

// stringList returns the items of a list of strings, and what is behind it.
func (c *reader) stringList(i int) (items []string, next int) {
	if !c.is(i, "[") && !c.is(i, "(") {
		return nil, i
	}
	for i++; len(items) < maxParts; i++ {
		switch {
		case c.at(i).kind == tokString:
			items = append(items, c.interpolate(c.at(i)))
		case c.is(i, "]") || c.is(i, ")"):
			return items, i + 1
		case !c.is(i, ","):
			return nil, i
		}
	}
	return nil, i
}

// loopVariable returns the token of the name that each item has, 0 for none.
func (c *reader) loopVariable(i int) int {
	if !c.is(i, ".") || !isIterator(c.at(i+1).text) {
		return 0
	}
	i += 2
	if c.is(i, "?") {
		i++ // all?
	}
	switch {
	case (c.is(i, "{") || c.is(i, "do")) && c.is(i+1, "|") && c.at(i+2).kind == tokName:
		return i + 2
	case c.is(i, "(") && c.is(i+1, "(") && c.at(i+2).kind == tokName:
		return i + 2 // forEach((h) => ...)
	case c.is(i, "(") && c.is(i+1, "async") && c.at(i+2).kind == tokName:
		return i + 2
	case c.is(i, "(") && c.at(i+1).kind == tokName:
		return i + 1
	}
	return 0
}

func isIterator(name string) bool {
	switch name {
	case "each", "all", "any", "map", "every", "some", "forEach", "each_with_index", "find", "select", "none":
		return true
	}
	return false
}
