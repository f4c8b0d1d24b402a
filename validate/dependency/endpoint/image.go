package endpoint

import "strings"

// imageName returns the last segment of an image, without tag and digest.
func imageName(image string) string {
	image, _, _ = strings.Cut(image, "@")
	image = image[strings.LastIndexByte(image, '/')+1:]
	image, _, _ = strings.Cut(image, ":")
	return image
}

// cutWord cuts the first word off a name, and the separator behind it.
func cutWord(name string) (word, rest string) {
	if i := strings.IndexAny(name, "-_."); i >= 0 {
		return name[:i], name[i+1:]
	}
	return name, ""
}

func isSeparator(b byte) bool { return b == '-' || b == '_' || b == '.' }

// namesCompanion tells whether a part of an image's name says that it is not the
// product itself but something that goes with it, such as an exporter.
func namesCompanion(part string) bool {
	for part != "" {
		var word string
		if word, part = cutWord(part); isCompanion(word) {
			return true
		}
	}
	return false
}

func isCompanion(word string) bool {
	switch word {
	case "exporter", "operator", "agent", "controller", "sidecar", "reloader", "init",
		"plugin", "metrics", "webhook", "backup", "cli", "client", "ui", "bridge",
		"adapter", "injector", "renderer", "csi", "proxy", "provisioner", "migration",
		"migrations", "migrate", "setup", "test", "tests", "updater", "autoscaler", "scaler",
		"importer", "loader", "authenticator", "surveyor", "account":
		return true
	}
	return false
}
