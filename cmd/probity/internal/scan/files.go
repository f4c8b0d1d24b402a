// Package scan reads manifests from files, folders and standard input, and hands
// out what is in them in the order of the input, while several cores work on it.
package scan

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/probity-dev/probity/workload"
)

// Stdin is the argument that stands for standard input, and StdinName the name
// under which its lines are reported.
const (
	Stdin     = "-"
	StdinName = "<stdin>"
)

// maxFileSize bounds one file. A List of all workloads of a large cluster is a
// tenth of it.
const maxFileSize = 512 << 20

// file is one file to read.
type file struct {
	// name is how it is reported: as given, or below the folder as given.
	name string
	// found is set for a file that the walk of a folder came upon: it may well
	// be none of ours.
	found bool
	err   error
}

// File is one file that was read.
type File struct {
	Name string
	Data []byte
	// Found is set for a file that nobody named: it lay in a folder.
	Found bool
	Err   error
}

// Files reads all arguments one after the other and calls each with every file,
// until it fails.
func Files(args []string, stdin io.Reader, note func(Note), each func(File) error) error {
	var failure error
	args = expand(args)
	all := newFiles(args, note, func(f file) bool {
		data, err := f.read(stdin)
		if f.found && errors.Is(err, errBinary) {
			return true
		}
		failure = each(File{Name: f.name, Data: data, Found: f.found, Err: err})
		return failure == nil
	})
	for _, arg := range args {
		all.argument(arg)
	}
	return failure
}

// files finds what the arguments stand for.
type files struct {
	yield func(file) bool
	note  func(Note)
	// likeFolder is set where files that are named are treated as those of a folder.
	likeFolder bool
	// seen are the files that were given, and nil where none can come twice: it
	// would grow with their number.
	seen map[string]bool
	// given counts them.
	given int
	// patch are files that a kustomization names as patches, with its folder.
	patch map[string]string
	// searched are the folders above files that are named which were looked through
	// for a kustomization.
	searched map[string]bool
	noted    map[Note]bool
	done     bool
}

func newFiles(args []string, note func(Note), yield func(file) bool) *files {
	f := &files{yield: yield, note: note, patch: map[string]string{}, searched: map[string]bool{}, noted: map[Note]bool{}}
	if overlap(args) {
		f.seen = map[string]bool{}
	}
	return f
}

// overlap reports whether an argument stands twice or below another.
func overlap(args []string) bool {
	const separator = string(filepath.Separator)
	folders := make([]string, len(args))
	for i, arg := range args {
		folders[i] = strings.TrimSuffix(filepath.Clean(arg), separator) + separator
	}
	slices.Sort(folders)
	for i := 1; i < len(folders); i++ {
		if strings.HasPrefix(folders[i], folders[i-1]) {
			return true
		}
	}
	return len(folders) > 1 && slices.Contains(folders, "."+separator)
}

func (f *files) give(next file) {
	key := filepath.Clean(next.name)
	if f.done || f.seen[key] {
		return
	}
	if folder, ok := f.patch[key]; ok && next.found {
		f.noteOnce(kustomizationNote(folder))
		return
	}
	if f.seen != nil {
		f.seen[key] = true
	}
	f.given++
	f.done = !f.yield(next)
}

func (f *files) argument(arg string) {
	if arg == Stdin {
		f.give(file{name: Stdin})
		return
	}
	info, err := os.Stat(arg)
	if err != nil {
		f.give(file{name: arg, err: missing(arg, err)})
		return
	}
	if !info.IsDir() && f.likeFolder {
		f.asFound(arg)
		return
	}
	if !info.IsDir() {
		f.give(file{name: arg})
		return
	}
	before := f.given
	f.folder(arg)
	if f.given == before && !f.done {
		f.give(file{name: arg, err: errors.New("holds no .yaml, .yml or .json file")})
	}
}

// folder walks a folder in the order of names. Hidden folders and node_modules
// hold what tools put there, not manifests.
func (f *files) folder(root string) {
	walk := func(path string, entry fs.DirEntry, err error) error {
		switch {
		case f.done:
			return fs.SkipAll
		case err != nil:
			f.give(file{name: path, err: reason(err)})
			return nil
		case entry.IsDir():
			if path != root && f.skipsFolder(path, entry.Name()) {
				return fs.SkipDir
			}
			f.passPatches(path)
			return nil
		case manifestFile(entry.Name()) && !leadsToFolder(path, entry):
			f.give(file{name: path, found: true, err: unreadable(path)})
		}
		return nil
	}
	// The walk itself returns none of its errors.
	_ = filepath.WalkDir(root, walk)
}

// leadsToFolder reports whether an entry is a link to a folder, which the walk does
// not follow.
func leadsToFolder(path string, entry fs.DirEntry) bool {
	if entry.Type()&fs.ModeSymlink == 0 {
		return false
	}
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// unreadable says why what lies in a folder is not opened: a link to nothing, or
// anything but a file, which may never end. As an argument all of it is read:
// /dev/stdin and <(command) are no files either.
func unreadable(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return reason(err)
	case info.Mode()&fs.ModeNamedPipe != 0:
		return errors.New("is a named pipe and is not read with the folder; name it to have it read")
	case !info.Mode().IsRegular():
		return errors.New("is no file and is not read with the folder; name it to have it read")
	default:
		return nil
	}
}

func manifestFile(name string) bool {
	return slices.Contains([]string{".yaml", ".yml", ".json"}, strings.ToLower(filepath.Ext(name)))
}

func (f *files) skipsFolder(path, name string) bool {
	if strings.HasPrefix(name, ".") || name == "node_modules" {
		return true
	}
	if name != "templates" {
		return false
	}
	chart := filepath.Dir(path)
	if !isChart(chart) {
		return false
	}
	f.noteOnce(chartNote(chart))
	return true
}

// read returns a file's content.
func (f *file) read(stdin io.Reader) ([]byte, error) {
	if f.err != nil {
		return nil, f.err
	}
	from := stdin
	if f.name == Stdin {
		f.name = StdinName
	} else {
		opened, err := os.Open(f.name)
		if err != nil {
			return nil, reason(err)
		}
		defer opened.Close()
		from = opened
	}
	data, err := readAll(from)
	if err != nil {
		return nil, reason(err)
	}
	if f.name == StdinName && len(bytes.TrimSpace(data)) == 0 {
		// A pipe hides that the program before it failed; nothing judged must
		// not look like nothing found.
		return nil, errors.New("standard input is empty; did the command before the pipe fail?")
	}
	if len(data) > maxFileSize {
		return nil, fmt.Errorf("is larger than %d MiB; split it", maxFileSize>>20)
	}
	if isBinary(data) {
		return nil, errBinary
	}
	return data, nil
}

func readAll(from io.Reader) ([]byte, error) {
	if f, ok := from.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() && info.Size() < maxFileSize {
			data := make([]byte, 0, info.Size()+1)
			return readInto(data, f)
		}
	}
	return io.ReadAll(io.LimitReader(from, maxFileSize+1))
}

// readInto reads all, into one piece of memory where the size was right.
func readInto(data []byte, from io.Reader) ([]byte, error) {
	for len(data) <= maxFileSize {
		if len(data) == cap(data) {
			data = slices.Grow(data, 64<<10)
		}
		n, err := from.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if errors.Is(err, io.EOF) {
			return data, nil
		}
		if err != nil {
			return data, err
		}
	}
	return data, nil
}

// reason is what went wrong without the path, which is reported beside it.
func reason(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// failed is the document that stands for a file which cannot be read.
func (f *file) failed(err error) workload.Document {
	return workload.Document{
		Source:  workload.Source{File: f.name},
		Foreign: errors.Is(err, errBinary),
		Errors:  []workload.InputError{{File: f.name, Message: err.Error()}},
	}
}
