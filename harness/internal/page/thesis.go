package page

import (
	"os"
	"path/filepath"
)

// redrawn lists the figures and tables of the thesis that the specs in configs/ redraw, in its order.
var redrawn = []struct{ Experiment, ID, Number string }{
	{"svm-bounds", "tab-runtimes", "Table 1.2"},
	{"svm-losses", "fig-01-hinge-bound", "Figure 1.1"},
	{"svm-illustrations", "fig-water", "Figure 2.1"},
	{"svm-illustrations", "fig-bias", "Figure 2.2"},
	{"svm-bounds", "tab-bounds", "Table 2.1"},
	{"svm-experiments", "tab-datasets", "Table 2.2"},
	{"svm-runtime", "tab-datasets-bias", "Table 2.2"},
	{"svm-experiments", "fig-experiments", "Figure 2.3"},
	{"svm-experiments", "fig-experiments-perceptron", "Figure 2.4"},
	{"svm-experiments", "fig-experiments-fourier", "Figure 2.5"},
	{"svm-sparse-losses", "fig-slant-loss", "Figure 3.1"},
	{"svm-sparse-losses", "fig-smooth-loss", "Figure 3.2"},
	{"svm-sparse-bounds", "tab-bounds", "Table 3.1"},
	{"svm-sparse", "tab-datasets", "Table 3.2"},
	{"svm-sparse", "fig-experiments", "Figure 3.3"},
	{"pca-efficiency", "fig-efficiency", "Figure 5.1"},
	{"pca-bounds", "tab-bounds", "Table 6.1"},
	{"pca-simulated", "fig-simulated-iterations", "Figure 6.1"},
	{"pca-simulated", "fig-simulated-runtime", "Figure 6.2"},
	{"pca-real", "fig-real", "Figure 6.3"},
}

// numberOf returns what the thesis calls a figure or table of an experiment, "" if it is not in it.
func numberOf(experiment, id string) string {
	for _, r := range redrawn {
		if r.Experiment == experiment && r.ID == id {
			return r.Number
		}
	}
	return ""
}

// placeOf returns the place of a number in the thesis.
func placeOf(number string) int {
	for i, r := range redrawn {
		if r.Number == number {
			return i
		}
	}
	return len(redrawn)
}

// chapterHeadings are the headings of docs/claims.md, as fragments of a URL, by subject of a claim.
var chapterHeadings = map[string]string{
	"chapters 1 and 2, kernel SVM training": "chapters-1-and-2-training-kernel-svms",
	"chapter 3, sparse SVMs":                "chapter-3-sparse-svms",
	"chapters 4 to 6, streaming PCA":        "chapters-4-to-6-streaming-pca",
}

// findDocumentation returns the path of docs/claims.md relative to a page, by looking in the folder of the
// page and those above it. It is empty for a page outside the tree of the project.
func findDocumentation(out string) string {
	from, err := filepath.Abs(filepath.Dir(out))
	for dir := from; out != "" && err == nil && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		doc := filepath.Join(dir, "docs", "claims.md")
		_, missing := os.Stat(doc)
		if path, noPath := filepath.Rel(from, doc); missing == nil && noPath == nil {
			return filepath.ToSlash(path)
		}
	}
	return ""
}

// documentationOf returns the name of the section on the chapter of a claim, and the link to it from a page in
// the tree of the documentation. Both are empty for a claim that is not of the thesis.
func documentationOf(c *claim, documentation string) (name, href string) {
	heading := chapterHeadings[c.Subject()]
	switch {
	case heading == "":
		return "", ""
	case documentation == "":
		return "docs/claims.md#" + heading, ""
	}
	return "docs/claims.md", documentation + "#" + heading
}
