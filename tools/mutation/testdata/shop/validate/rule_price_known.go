package validate

func known(name string, paid int) bool {
	return name == "tea" || name == "coffee" && paid > 2
}
