package endpoint

import "strings"

// imageName returns the last segment of an image, without tag and digest.
func imageName(image string) string {
	image, _, _ = strings.Cut(image, "@")
	image = image[strings.LastIndexByte(image, '/')+1:]
	image, _, _ = strings.Cut(image, ":")
	return image
}

// wordEnd returns where the word that starts at from ends.
func wordEnd(name string, from int) int {
	for i := from; i < len(name); i++ {
		if isSeparator(name[i]) {
			return i
		}
	}
	return len(name)
}

func isSeparator(b byte) bool { return b == '-' || b == '_' || b == '.' }

// namesCompanion tells whether a part of an image's name says that it is not the
// product itself but something that goes with it, such as an exporter.
func namesCompanion(part string) bool {
	for from := 0; from < len(part); {
		to := wordEnd(part, from)
		if isCompanion(part[from:to]) {
			return true
		}
		from = to + 1
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
