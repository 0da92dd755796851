// Command dist makes the archives of a release from the commit that is checked out: see
// `make dist`. The same commit and Go version give the same bytes, wherever it runs.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
)

// platforms are what releases are made for.
const platforms = "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64"

func main() {
	out := flag.String("o", "build/dist", "folder for the archives, which is made anew")
	on := flag.String("platforms", platforms, "GOOS/GOARCH of the archives, separated by commas")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *out, strings.Split(*on, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "dist:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out string, on []string) error {
	temp, err := os.MkdirTemp("", "stochopt-dist-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	r, err := prepare(ctx, temp)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	fmt.Printf("%s, commit %s\n", r.version, r.commit)
	return r.write(ctx, out, on)
}
