package main

import (
	"fmt"
	"testing"
)

func some(count int) []*breakage {
	var all []*breakage
	for i := range count {
		all = append(all, &breakage{file: "a.go", in: "f", kind: kindCompare, before: fmt.Sprint(i)})
	}
	return all
}

func TestTheChoiceIsSpreadOverTheFileAndStays(t *testing.T) {
	all := some(40)
	chosen := choose(all, 8, nil)
	again := choose(all, 8, nil)
	for part := range 8 {
		if chosen[part] != again[part] {
			t.Errorf("part %d is another one the second time", part)
		}
		if at := position(all, chosen[part]); at/5 != part {
			t.Errorf("part %d is number %d of the file", part, at)
		}
	}
}

func position(all []*breakage, b *breakage) int {
	for i, other := range all {
		if other == b {
			return i
		}
	}
	return -1
}

func TestFieldsAreTakenLast(t *testing.T) {
	all := some(6)
	for _, i := range []int{0, 1, 3, 4, 5} {
		all[i].kind = kindField
	}
	chosen := choose(all, 2, nil)
	if chosen[0] != all[2] || chosen[1].kind != kindField {
		t.Errorf("chose %+v and %+v", chosen[0], chosen[1])
	}
}

func TestWhatIsListedIsAlwaysTaken(t *testing.T) {
	all := some(6)
	always := map[key]bool{}
	for _, b := range all {
		always[b.key()] = true
	}
	if chosen := choose(all, 2, always); len(chosen) != len(all) {
		t.Errorf("took %d of %d", len(chosen), len(all))
	}
	if chosen := choose(all, 0, nil); len(chosen) != len(all) {
		t.Errorf("took %d of %d for no bound", len(chosen), len(all))
	}
}
