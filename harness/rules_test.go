package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const module = "stochopt"

// allowed lists the folders of this module that the packages of a folder may import. Data flows one way: spec -> plan
// -> run -> records -> selection -> figures, claims, report.
var allowed = map[string][]string{
	"algorithms":                  {"algorithms", "internal/finite", "internal/ordered", "internal/scratch"},
	"datasets":                    {"datasets", "internal"},
	"plots":                       {"internal"},
	"plots/draw":                  {"plots", "internal"},
	"plots/table":                 {"plots", "internal/words"},
	"configs":                     {"configs"},
	"harness/internal/seed":       {},
	"harness/internal/claims":     {"internal"},
	"harness/internal/spec":       {"internal", "plots", "harness/internal/claims", "harness/internal/seed"},
	"harness/internal/objective":  {"algorithms", "internal", "harness/internal/seed"},
	"harness/internal/external":   {"algorithms", "internal", "harness/internal/external", "harness/internal/spec"},
	"harness/internal/registry":   {"algorithms", "datasets", "internal", "plots", "harness/internal/external", "harness/internal/seed", "harness/internal/spec"},
	"harness/internal/plan":       {"internal", "datasets", "harness/internal/external", "harness/internal/objective", "harness/internal/spec", "harness/internal/registry", "harness/internal/seed"},
	"harness/internal/run":        {"internal", "algorithms", "datasets", "harness/internal/external", "harness/internal/plan", "harness/internal/registry", "harness/internal/objective", "harness/internal/seed"},
	"harness/internal/plantest":   {"datasets", "harness/internal/plan", "harness/internal/spec", "harness/internal/registry"},
	"harness/internal/experiment": {"internal", "plots", "harness/internal/spec", "harness/internal/registry", "harness/internal/claims", "harness/internal/objective"},
	"harness/internal/cluster":    {"internal", "harness/internal/spec", "harness/internal/plan", "harness/internal/experiment"},
	"harness/internal/propose":    {"datasets", "internal"},
	"harness/internal/page":       {"internal", "plots", "harness/internal/experiment", "harness/internal/claims", "harness/internal/spec"},
	"harness/internal/verify":     {"internal", "harness/internal/spec", "harness/internal/plan", "harness/internal/run", "harness/internal/experiment", "harness/internal/objective"},
	"harness/internal/cli":        {"datasets", "internal", "plots", "harness/internal"},
	"harness":                     {"harness/internal/cli"},
	"internal/closest":            {},
	"internal/disk":               {},
	"internal/finite":             {},
	"internal/ordered":            {},
	"internal/parallel":           {},
	"internal/compare":            {"internal"},
	"internal/observe":            {"internal"},
	"internal/record":             {"internal/disk", "internal/finite", "internal/parallel"},
	"internal/selection":          {"internal"},
	"internal/stats":              {"internal/finite", "internal/whole", "internal/words"},
	"internal/words":              {},
	"internal/scratch":            {},
	"internal/shell":              {},
	"internal/whole":              {},
}

type source struct {
	dir  string
	path string
	file *ast.File
	text []byte
	fset *token.FileSet
}

// parsed has all Go files of the module.
var parsed = sync.OnceValues(func() ([]source, error) {
	var out []source
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && path != ".." && (name[0] == '.' || name == "testdata" || name == "build") {
			return filepath.SkipDir
		}
		if d.IsDir() || filepath.Ext(name) != ".go" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		rel := filepath.ToSlash(strings.TrimPrefix(path, ".."+string(filepath.Separator)))
		out = append(out, source{dir: filepath.ToSlash(filepath.Dir(rel)), path: rel, file: file, text: text, fset: fset})
		return nil
	})
	return out, err
})

func sources(t *testing.T) []source {
	t.Helper()
	out, err := parsed()
	if err != nil || len(out) < 20 {
		t.Fatalf("found %d Go files, %v; is the test run from its own folder?", len(out), err)
	}
	return out
}

func (s source) test() bool { return strings.HasSuffix(s.path, "_test.go") }

func (s source) imports() []string {
	var out []string
	for _, spec := range s.file.Imports {
		p, _ := strconv.Unquote(spec.Path.Value)
		out = append(out, p)
	}
	return out
}

func within(path, folder string) bool {
	rest, ok := strings.CutPrefix(path, folder)
	return ok && (rest == "" || rest[0] == '/')
}

// rule returns the most specific folder in allowed that contains dir.
func rule(dir string) (string, bool) {
	best, ok := "", false
	for folder := range allowed {
		if within(dir, folder) && len(folder) > len(best) {
			best, ok = folder, true
		}
	}
	return best, ok
}

func TestImports(t *testing.T) {
	for _, s := range sources(t) {
		if s.test() {
			continue
		}
		folder, ok := rule(s.dir)
		if !ok {
			t.Errorf("%s: the folder %s has no rule; add one to this test", s.path, s.dir)
			continue
		}
		for _, p := range s.imports() {
			local, ok := strings.CutPrefix(p, module+"/")
			if s.dir == "algorithms" && (ok || strings.ContainsRune(p, '.')) {
				t.Errorf("%s imports %s; the contracts may import only the standard library", s.path, p)
			}
			if !ok || within(local, s.dir) {
				continue
			}
			if !slices.ContainsFunc(allowed[folder], func(a string) bool { return within(local, a) }) {
				t.Errorf("%s imports %s; %s may import only %v", s.path, p, folder, allowed[folder])
			}
		}
	}
}

// drawing lists the modules that draw figures and tables, and the packages that use them.
var drawing = []string{
	"gonum.org/v1/plot", "codeberg.org/go-pdf/fpdf", "golang.org/x/image", "github.com/olekukonko/tablewriter",
	module + "/plots/draw", module + "/plots/table",
}

// The declaration and layout of figures and the judgement of claims need no drawing library.
func TestOnlyDrawingLinksDrawingLibraries(t *testing.T) {
	for _, p := range []string{"plots", "harness/internal/spec", "harness/internal/claims"} {
		out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", module+"/"+p).Output()
		if err != nil {
			t.Fatal(err)
		}
		for dep := range strings.Lines(string(out)) {
			dep = strings.TrimSpace(dep)
			if slices.ContainsFunc(drawing, func(folder string) bool { return within(dep, folder) }) {
				t.Errorf("%s links %s", p, dep)
			}
		}
	}
}

// Packages have no init functions. Equal seeds give equal bits, so there is no global generator, and algorithms use
// neither the clock nor math.Exp and math.Pow, whose rounding on amd64 depends on FMA.
func TestSources(t *testing.T) {
	for _, s := range sources(t) {
		for _, p := range s.imports() {
			if p == "math/rand" {
				t.Errorf("%s imports math/rand; use math/rand/v2 with a named stream", s.path)
			}
			// Shared file systems may lack locks. Temporary folders are local.
			if p == "github.com/gofrs/flock" && s.dir != "internal/scratch" {
				t.Errorf("%s locks files", s.path)
			}
			if p == "time" && within(s.dir, "algorithms") && !s.test() {
				t.Errorf("%s imports time; algorithms must not read the clock", s.path)
			}
		}
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
				t.Errorf("%s has an init function", s.fset.Position(f.Pos()))
			}
		}
		if s.test() || !(within(s.dir, "algorithms") || within(s.dir, "datasets") || within(s.dir, "harness/internal/objective")) {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			call, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if x, ok := call.X.(*ast.Ident); ok && x.Name == "math" && (call.Sel.Name == "Exp" || call.Sel.Name == "Pow") {
				t.Errorf("%s calls math.%s, whose bits depend on the CPU", s.fset.Position(call.Pos()), call.Sel.Name)
			}
			return true
		})
	}
}

// Only code that creates records uses the field Curve of a run, because curves of stored runs stay on disk.
func TestCurvesAreReadByMeasured(t *testing.T) {
	members := []string{"Cost", "Metrics", "Spectrum", "Vectors", "Mistakes", "Along", "Counts", "Len"}
	for _, s := range sources(t) {
		if s.test() || within(s.dir, "internal/record") || within(s.dir, "harness/internal/run") {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			of, ok := n.(*ast.SelectorExpr)
			if !ok || !slices.Contains(members, of.Sel.Name) {
				return true
			}
			if curve, ok := of.X.(*ast.SelectorExpr); ok && curve.Sel.Name == "Curve" {
				t.Errorf("%s: .Curve.%s of a run read from a folder is empty: use Measured", s.fset.Position(of.Pos()), of.Sel.Name)
			}
			return true
		})
	}
}
