// Command links checks the links of all Markdown files below a folder: a relative
// link must lead to a file, its fragment to a heading of it, and an address must
// be well-formed. It asks no network, so an address may still lead nowhere.
//
//	go run ./docs/links
package main

import (
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/probity-dev/probity/docs/markdown"
)

func main() {
	root := "."
	if len(os.Args) > 1 {
		root = os.Args[1]
	}
	pages, problems, err := check(os.DirFS(root))
	if err != nil {
		fmt.Fprintln(os.Stderr, "links:", err)
		os.Exit(1)
	}
	for _, p := range problems {
		fmt.Fprintln(os.Stderr, p)
	}
	if len(problems) > 0 {
		os.Exit(1)
	}
	fmt.Printf("links: %d Markdown files, all links fine\n", pages)
}

// checker remembers what it has read, as pages link to each other.
type checker struct {
	tree  fs.FS
	pages map[string]markdown.Page
}

// check returns what is wrong, each with file and line, in their order.
func check(tree fs.FS) (pages int, problems []string, err error) {
	names, err := markdownFiles(tree)
	if err != nil {
		return 0, nil, err
	}
	c := &checker{tree: tree, pages: map[string]markdown.Page{}}
	for _, name := range names {
		page, err := c.page(name)
		if err != nil {
			return 0, nil, err
		}
		for _, link := range page.Links {
			if why := c.problem(name, link.Target); why != "" {
				problems = append(problems, fmt.Sprintf("%s:%d: link %q %s", name, link.Line, link.Target, why))
			}
		}
	}
	return len(names), problems, nil
}

// markdownFiles lists the pages, sorted. Folders that hold no documentation of
// this project are passed over: hidden ones, what was built, test data.
func markdownFiles(tree fs.FS) ([]string, error) {
	var names []string
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := path.Base(name)
		if d.IsDir() {
			hidden := strings.HasPrefix(base, ".") && base != "."
			if hidden || slices.Contains([]string{"bin", "dist", "node_modules", "testdata"}, base) {
				return fs.SkipDir
			}
			return nil
		}
		if path.Ext(base) == ".md" {
			names = append(names, name)
		}
		return nil
	})
	slices.Sort(names)
	return names, err
}

func (c *checker) page(name string) (markdown.Page, error) {
	if page, known := c.pages[name]; known {
		return page, nil
	}
	text, err := fs.ReadFile(c.tree, name)
	if err != nil {
		return markdown.Page{}, err
	}
	page := markdown.Parse(string(text))
	c.pages[name] = page
	return page, nil
}

// problem says what is wrong with a link of a page, or nothing.
func (c *checker) problem(from, target string) string {
	if target == "" {
		return "leads nowhere"
	}
	address, err := url.Parse(target)
	if err != nil {
		return "is malformed: " + err.Error()
	}
	if address.Scheme != "" || address.Host != "" {
		return external(address)
	}
	if strings.HasPrefix(target, "/") {
		return "is absolute; write it relative to its page"
	}
	name := from
	if address.Path != "" {
		name = path.Join(path.Dir(from), address.Path)
	}
	if _, err := fs.Stat(c.tree, name); err != nil {
		return "leads to " + name + ", which does not exist"
	}
	if address.Fragment == "" {
		return ""
	}
	return c.fragment(name, address.Fragment)
}

// lineFragment is what code hosts take for lines of a file.
var lineFragment = regexp.MustCompile(`^L\d+(-L\d+)?$`)

func (c *checker) fragment(name, fragment string) string {
	if path.Ext(name) != ".md" {
		if lineFragment.MatchString(fragment) {
			return ""
		}
		return "has a fragment, but " + name + " has no headings"
	}
	page, err := c.page(name)
	if err != nil {
		return err.Error()
	}
	if !page.Anchors[fragment] {
		return "leads to no heading of " + name
	}
	return ""
}

// external checks the form of an address.
func external(address *url.URL) string {
	if address.Scheme == "mailto" {
		if !strings.Contains(address.Opaque, "@") {
			return "names no mailbox"
		}
		return ""
	}
	if address.Scheme != "https" {
		return "must be https"
	}
	host := address.Hostname()
	if !strings.Contains(host, ".") || strings.HasPrefix(host, ".") || strings.HasSuffix(host, ".") {
		return "names no host"
	}
	return ""
}
