// Package markdown reads what the tests of the documentation need of a page: its
// links, the anchors that links can lead to, and its code blocks. It knows the
// Markdown that this repository writes: ATX headings, fenced code, inline links,
// reference definitions and autolinks.
package markdown

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// Link is a link or an image.
type Link struct {
	// Target is as written, without a title.
	Target string
	// Line counts from 1.
	Line int
}

// Block is a fenced code block.
type Block struct {
	// Language is the first word behind the fence, such as "sh".
	Language string
	// Text is the code, each line with its line end.
	Text string
	// Line is that of the opening fence, from 1.
	Line int
}

// Page is what a Markdown file holds.
type Page struct {
	Links  []Link
	Blocks []Block
	// Anchors are the fragments of headings and of HTML ids, without "#".
	Anchors map[string]bool
}

var (
	heading    = regexp.MustCompile(`^#{1,6}\s+(.*?)\s*#*$`)
	htmlAnchor = regexp.MustCompile(`<a (?:id|name)="([^"]+)"`)
	codeSpan   = regexp.MustCompile("(`+)[^`].*?`+")
	// A target may hold one pair of parentheses, as some addresses do.
	inline     = regexp.MustCompile(`\]\(\s*<?([^()\s>]*(?:\([^()\s]*\)[^()\s>]*)*)>?(?:\s+"[^"]*")?\s*\)`)
	definition = regexp.MustCompile(`^ {0,3}\[[^\]]+\]:\s+<?([^\s>]+)>?`)
	autolink   = regexp.MustCompile(`<([a-z][a-z0-9+.-]*:[^\s>]*)>`)
)

// Parse reads a page.
func Parse(text string) Page {
	p := Page{Anchors: map[string]bool{}}
	var block *Block
	fence := ""
	number := 0
	for line := range strings.Lines(text) {
		number++
		trimmed := strings.TrimSpace(line)
		switch {
		case block != nil && isClosing(trimmed, fence):
			p.Blocks = append(p.Blocks, *block)
			block = nil
		case block != nil:
			block.Text += line
		case strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~"):
			fence = trimmed[:len(trimmed)-len(strings.TrimLeft(trimmed, trimmed[:1]))]
			language, _, _ := strings.Cut(strings.TrimSpace(trimmed[len(fence):]), " ")
			block = &Block{Language: language, Line: number}
		default:
			p.readLine(strings.TrimRight(line, "\r\n"), number)
		}
	}
	if block != nil { // unclosed: it reaches to the end, as renderers have it
		p.Blocks = append(p.Blocks, *block)
	}
	return p
}

// isClosing reports whether a line ends the block of a fence: the same sign, at
// least as often, and nothing else.
func isClosing(trimmed, fence string) bool {
	return strings.HasPrefix(trimmed, fence) && strings.Trim(trimmed, fence[:1]) == ""
}

func (p *Page) readLine(line string, number int) {
	if m := heading.FindStringSubmatch(line); m != nil {
		p.addAnchor(slug(m[1]))
	}
	for _, m := range htmlAnchor.FindAllStringSubmatch(line, -1) {
		p.Anchors[m[1]] = true
	}
	// What stands in code is shown and is no link.
	line = codeSpan.ReplaceAllString(line, "code")
	for _, pattern := range []*regexp.Regexp{inline, definition, autolink} {
		for _, m := range pattern.FindAllStringSubmatch(line, -1) {
			p.Links = append(p.Links, Link{Target: m[1], Line: number})
		}
	}
}

// addAnchor numbers headings of the same text as GitHub does: text, text-1, ...
func (p *Page) addAnchor(anchor string) {
	unique := anchor
	for n := 1; p.Anchors[unique]; n++ {
		unique = anchor + "-" + strconv.Itoa(n)
	}
	p.Anchors[unique] = true
}

var linkText = regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`)

// slug makes the fragment of a heading as GitHub does: lower case, without
// punctuation, and with a dash for each blank.
func slug(title string) string {
	title = linkText.ReplaceAllString(title, "$1")
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, title)
}
