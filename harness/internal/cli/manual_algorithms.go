package cli

import (
	"bytes"
	"fmt"
	"strings"

	"stochopt/harness/internal/registry"
	"stochopt/harness/internal/spec"
	"stochopt/internal/words"
)

// algorithmsPage lists the algorithms of every task with what a step does and costs, and
// their parameters. Parameters that several have are described once.
func algorithmsPage() []byte {
	var b bytes.Buffer
	b.WriteString("# Algorithms\n\n" + generated)
	b.WriteString("`stochopt algorithms show NAME` prints the same of one.\n\n" +
		"d features, k directions, k′ the actual rank of an iterate; n training points, N points in all " +
		"with those that errors are measured on; x a sample, η_t the step size. The cost of a step has two parts: " +
		"before the semicolon what is counted (Σk′², kernel evaluations, or inner products of d dimensions), after it " +
		"the number of operations besides computing kernel rows.\n")
	for _, task := range registry.Catalog().TaskNames() {
		entries := registry.Algorithms(task)
		fmt.Fprintf(&b, "\n## Task `%s`\n", task)
		shared := sharedParams(entries)
		for _, e := range entries {
			fmt.Fprintf(&b, "\n### `%s`: %s\n\n", e.ID, e.Title)
			if e.Update != "" {
				fmt.Fprintf(&b, "%s\n\n*A step costs* %s. ", e.Update, e.StepCost)
			}
			if e.Deterministic {
				b.WriteString("*Deterministic.* ")
			}
			fmt.Fprintf(&b, "*Source:* %s. *Version* %d.\n", e.Source, e.Version)
			writeParams(&b, e.Params, shared)
		}
		if len(shared) > 0 {
			fmt.Fprintf(&b, "\n### Parameters shared by several algorithms of `%s`\n", task)
			writeParams(&b, shared, nil)
		}
	}
	return b.Bytes()
}

// sharedParams returns the parameters that at least two of the entries share, defaults and
// all.
func sharedParams(entries []spec.Algorithm) []spec.Param {
	var order []spec.Param
	count := make(map[string]int)
	for _, e := range entries {
		for _, p := range e.Params {
			text := paramText(p)
			if count[text]++; count[text] == 2 {
				order = append(order, p)
			}
		}
	}
	return order
}

// writeParams writes a table of parameters; those that are shared are named below it.
func writeParams(b *bytes.Buffer, params, shared []spec.Param) {
	known := make(map[string]bool)
	for _, p := range shared {
		known[paramText(p)] = true
	}
	var also []string
	rows := 0
	for _, p := range params {
		if known[paramText(p)] {
			also = append(also, "`"+p.Name+"`")
			continue
		}
		if rows++; rows == 1 {
			b.WriteString("\n| parameter | kind | default | values | what |\n|---|---|---|---|---|\n")
		}
		b.WriteString(paramText(p) + "\n")
	}
	if len(also) > 0 {
		fmt.Fprintf(b, "\nAlso %s.\n", strings.Join(also, ", "))
	}
}

// paramText is the row of a parameter.
func paramText(p spec.Param) string {
	text := words.Markdown
	return markdownRow("`"+p.Name+"`", p.Kind, text(strings.TrimPrefix(defaultText(p), "default ")), text(valuesText(p)), text(p.Doc))
}

// markdownRow returns a row of a table whose cells are Markdown.
func markdownRow(cells ...string) string { return "| " + strings.Join(cells, " | ") + " |" }
