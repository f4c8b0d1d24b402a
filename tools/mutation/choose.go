package main

import "slices"

// choose takes count of a file's breakages, spread over it: the file is cut into so
// many parts with as many breakages each, and of each part one is taken, always the
// same one while the part stays as it is. Fields set to nothing are easily seen by
// tests and are taken only where a part has nothing else. Those to be taken in any
// case, and all when count is 0.
func choose(all []*breakage, count int, always map[key]bool) []*breakage {
	var chosen []*breakage
	if count == 0 || count >= len(all) {
		return all
	}
	for part := range count {
		of := all[part*len(all)/count : (part+1)*len(all)/count]
		chosen = append(chosen, slices.MinFunc(of, func(a, b *breakage) int {
			if (a.kind == kindField) != (b.kind == kindField) {
				if a.kind == kindField {
					return 1
				}
				return -1
			}
			if a.key().hash() < b.key().hash() {
				return -1
			}
			return 1
		}))
	}
	for _, b := range all {
		if always[b.key()] && !slices.Contains(chosen, b) {
			chosen = append(chosen, b)
		}
	}
	return chosen
}
