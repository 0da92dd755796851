// Command stochopt runs the experiments of Cotter's "Stochastic Optimization for Machine Learning" from YAML specs.
// See stochopt --help.
package main

import (
	"os"

	"stochopt/harness/internal/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:], os.Stdout, os.Stderr)) }
