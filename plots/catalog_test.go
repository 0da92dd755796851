package plots

import (
	"slices"
	"strings"
)

// listed is a catalog like the one of the registry.
var listed = func() Catalog {
	all := slices.Concat(knownPCA, knownSparse, knownSVM, knownLosses)
	for i := range all {
		a := &all[i]
		switch a.ID {
		case "warmuth-kuzmin":
			a.Rank = "Uncapped eigenvalues k′ₜ"
		case "libsvm":
			a.Clock = "svm-train's own time, from its start to its end"
		}
		a.Crowded = slices.ContainsFunc(knownSparse, func(s Algorithm) bool { return s.ID == a.ID })
	}
	return all
}()

// known returns algorithms, given as "id: name", with different styles in similar colours.
func known(color uint32, algorithms ...string) (c Catalog) {
	glyphs := []string{GlyphDisc, GlyphBox, GlyphTriangle, GlyphPyramid, GlyphSquare, GlyphRing, GlyphPlus, GlyphCross}
	for i, a := range algorithms {
		id, name, _ := strings.Cut(a, ": ")
		style := NewStyle(color+uint32(i)<<12, 1.5, glyphs[i%len(glyphs)])
		if i > 0 {
			style.Dash = []float64{1 + float64(i), 2}
		}
		c = append(c, Algorithm{ID: id, Name: name, Style: style})
	}
	return c
}

var (
	knownPCA = known(0x000090,
		"saa: SAA", "power: Power (Oja)", "gha: GHA", "incremental: Incremental", "warmuth-kuzmin: Warmuth & Kuzmin",
		"msg: MSG", "capped-msg: Capped MSG", "grouse: GROUSE",
	)
	knownSparse = known(0x900000,
		"sparsify-aggressive: Sparsify (aggressive)", "sparsify: Sparsify", "sparsify-smooth: Sparsify (smooth)",
		"spsvm: SpSVM", "cpsp: CPSP", "forgetron: Forgetron", "rbp: RBP",
	)
	knownSVM = known(0x404000,
		"sbp: SBP", "sgd: SGD", "pegasos: Pegasos", "sdca: SDCA", "smo: SMO", "decomposition: Dual decomposition",
		"perceptron: Perceptron", "rff: Fourier features", "linear-sdca: SDCA (linear)", "libsvm: LIBSVM",
	)
	knownLosses = known(0x900090,
		"zero-one: 0/1 loss", "hinge: Hinge loss", "slant: Slant loss",
	)
)
