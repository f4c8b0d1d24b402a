package scan

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// expand puts the files that fit a pattern in its place, as kubectl does: a quoted
// one, one in a workflow's inputs, or one on Windows is expanded by no shell. A file
// of that very name goes before, and a pattern that nothing fits stays.
func expand(args []string) []string {
	var all []string
	for _, arg := range args {
		all = append(all, expanded(arg)...)
	}
	return all
}

func expanded(arg string) []string {
	if !isPattern(arg) {
		return []string{arg}
	}
	if _, err := os.Lstat(arg); !errors.Is(err, fs.ErrNotExist) {
		return []string{arg}
	}
	if fit, err := filepath.Glob(arg); err == nil && len(fit) > 0 {
		return fit
	}
	return []string{arg}
}

func isPattern(arg string) bool { return strings.ContainsAny(arg, "*?[") }

// missing is reason for an argument.
func missing(arg string, err error) error {
	if isPattern(arg) && errors.Is(err, fs.ErrNotExist) {
		return errors.New("no file fits this pattern (* does not reach into folders below; name a folder to have all of it read)")
	}
	return reason(err)
}

// errBinary is said once, and not of each line on which the bytes are no YAML.
var errBinary = errors.New("is binary, and neither YAML nor JSON")

// isBinary reports whether a file is no text, as git sees it: by a zero byte near the
// beginning. One that names a kind is a manifest with a mistake in it, whose line is
// worth knowing.
func isBinary(data []byte) bool {
	head := data[:min(len(data), 8000)]
	utf16 := bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff"))
	return !utf16 && bytes.IndexByte(head, 0) >= 0 && !bytes.Contains(head, []byte("kind"))
}
