package page

type thesisExhibit struct{ Experiment, ID, Number string }

// thesisExhibits lists the figures and tables of the thesis that the specs in configs/ reproduce, in its order.
var thesisExhibits = []thesisExhibit{
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

// numberOf returns the number in the thesis of a figure or table of an experiment, or "" if it has no number.
func numberOf(experiment, id string) string {
	for _, x := range thesisExhibits {
		if x.Experiment == experiment && x.ID == id {
			return x.Number
		}
	}
	return ""
}

// chapterHeadings maps the chapters of claims to fragments of URLs, for headings of docs/claims.md.
var chapterHeadings = map[string]string{
	"chapters 1 and 2, kernel SVM training": "chapters-1-and-2-training-kernel-svms",
	"chapter 3, sparse SVMs":                "chapter-3-sparse-svms",
	"chapters 4 to 6, streaming PCA":        "chapters-4-to-6-streaming-pca",
}

// Documentation returns the section of docs/claims.md on the chapter of the claim, or "".
func (c *claim) Documentation() string {
	if heading := chapterHeadings[c.Subject()]; heading != "" {
		return "docs/claims.md#" + heading
	}
	return ""
}
