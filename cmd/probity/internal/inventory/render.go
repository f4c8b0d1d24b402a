package inventory

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/probity-dev/probity/cmd/probity/internal/report"
	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

// Inventory is the whole list.
type Inventory struct {
	APIVersion string                `json:"apiVersion"`
	Kind       string                `json:"kind"`
	Probes     []Probe               `json:"probes"`
	Errors     []workload.InputError `json:"errors"`
}

// New returns an empty list.
func New() *Inventory {
	return &Inventory{
		APIVersion: validate.ResultAPIVersion, Kind: "Inventory",
		Probes: []Probe{}, Errors: []workload.InputError{},
	}
}

type format struct {
	name  string
	write func(report.Output, *Inventory) error
}

func formats() []format {
	return []format{{"text", writeText}, {"json", writeJSON}, {"markdown", writeMarkdown}, {"csv", writeCSV}}
}

// Formats returns the names of the formats, the default first.
func Formats() []string {
	var names []string
	for _, f := range formats() {
		names = append(names, f.name)
	}
	return names
}

// CheckFormat fails on a format that does not exist.
func CheckFormat(name string) error {
	if !slices.Contains(Formats(), name) {
		return fmt.Errorf("output format %q is not legal: must be text, json, markdown or csv", name)
	}
	return nil
}

// Write writes the list in a format.
func (v *Inventory) Write(name string, out report.Output) error {
	for _, f := range formats() {
		if f.name == name {
			return f.write(out, v)
		}
	}
	return CheckFormat(name)
}

// header are the columns for people; row fills them.
var header = []string{"NAMESPACE", "WORKLOAD", "CONTAINER", "PROBE", "ASSERTS", "EVIDENCE", "CONSUMER", "ON FAILURE", "AFTER", "STARTUP", "FINDINGS"}

func (p *Probe) row() []string {
	asserts := p.Asserts
	if p.Likely {
		asserts += " (likely)"
	}
	return []string{
		dash(p.Object.Namespace), p.Object.Kind + "/" + p.Object.Name, p.Container, p.Probe, asserts, dash(clip(p.Evidence)),
		p.Consumer, p.Action, short(p.BestSeconds) + "-" + short(p.WorstSeconds), dash(p.startup()), dash(strings.Join(p.broken(), ",")),
	}
}

// broken are the rules that the probe breaks, the exempted ones last and so called.
func (p *Probe) broken() []string {
	rules := slices.Clone(p.Findings)
	for _, rule := range p.Exempted {
		rules = append(rules, rule+" (exempted)")
	}
	return rules
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// clip keeps a column of evidence from pushing the others out of sight.
func clip(s string) string {
	const most = 48
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most-3]) + "..."
}

func (p *Probe) startup() string {
	switch {
	case p.InjectedSeconds > 0:
		return short(p.InjectedSeconds) + " injected"
	case p.StartupSeconds != nil:
		return short(*p.StartupSeconds)
	default:
		return ""
	}
}

// short gives seconds as people write them: 90s, 5m, 1h30m.
func short(n int) string {
	if n < 120 {
		return strconv.Itoa(n) + "s"
	}
	s := (time.Duration(n) * time.Second).String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

func writeText(out report.Output, v *Inventory) error {
	rows := [][]string{header}
	for i := range v.Probes {
		row := v.Probes[i].row()
		for j := range row {
			row[j] = report.Safe(row[j])
		}
		rows = append(rows, row)
	}
	widths := make([]int, len(header))
	for _, row := range rows {
		for j, cell := range row {
			widths[j] = max(widths[j], utf8.RuneCountInString(cell))
		}
	}
	w := bufio.NewWriter(out.Writer)
	for _, row := range rows {
		line := ""
		for j, cell := range row {
			line += cell + strings.Repeat(" ", widths[j]-utf8.RuneCountInString(cell)+2)
		}
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
	if len(v.Probes) > 0 {
		fmt.Fprint(w, "\n", legend)
	}
	return w.Flush()
}

// legend explains the columns whose names do not: it stands below the text only.
const legend = `AFTER: from the fault to what its failure does. STARTUP: how long the container may
take to start before it is restarted.
`

func writeJSON(out report.Output, v *Inventory) error { return report.WriteJSON(out, v) }

func writeMarkdown(out report.Output, v *Inventory) error {
	w := bufio.NewWriter(out.Writer)
	fmt.Fprintf(w, "| %s |\n|%s\n", strings.ToLower(strings.Join(header, " | ")), strings.Repeat(" --- |", len(header)))
	for i := range v.Probes {
		row := v.Probes[i].row()
		for j := range row {
			row[j] = report.Markdown(row[j])
		}
		fmt.Fprintf(w, "| %s |\n", strings.Join(row, " | "))
	}
	return w.Flush()
}

// writeCSV writes every field, numbers in seconds, for spreadsheets.
func writeCSV(out report.Output, v *Inventory) error {
	w := csv.NewWriter(out.Writer)
	records := [][]string{{
		"namespace", "kind", "name", "container", "probe", "handler", "asserts", "likely", "asks", "evidence", "consumer", "action",
		"bestSeconds", "worstSeconds", "startupSeconds", "injectedSeconds", "findings", "exempted", "file", "line",
	}}
	for i := range v.Probes {
		p := &v.Probes[i]
		record := []string{
			p.Object.Namespace, p.Object.Kind, p.Object.Name, p.Container, p.Probe, p.Handler, p.Asserts, strconv.FormatBool(p.Likely),
			p.Asks, p.Evidence, p.Consumer, p.Action, strconv.Itoa(p.BestSeconds), strconv.Itoa(p.WorstSeconds),
			optional(p.StartupSeconds), strconv.Itoa(p.InjectedSeconds), strings.Join(p.Findings, " "), strings.Join(p.Exempted, " "),
			p.Source.File, strconv.Itoa(p.Source.Line),
		}
		for j := range record {
			record[j] = notFormula(report.Safe(record[j]))
		}
		records = append(records, record)
	}
	return w.WriteAll(records)
}

// optional is an empty cell where there is no number.
func optional(n *int) string {
	if n == nil {
		return ""
	}
	return strconv.Itoa(*n)
}

// notFormula keeps a spreadsheet from running a cell that comes from a manifest
// (owasp.org, "CSV Injection").
func notFormula(s string) string {
	if s != "" && strings.ContainsRune("=+-@", rune(s[0])) {
		return "'" + s
	}
	return s
}
