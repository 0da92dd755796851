package plots

import "slices"

// listed is a catalog of algorithms like that of the registry.
var listed = slices.Concat(knownPCA, crowded(knownSparse), knownSVM, knownLosses)

func crowded(c Catalog) Catalog {
	for i := range c {
		c[i].Crowded = true
	}
	return c
}

var knownPCA = Catalog{
	{ID: "saa", Name: "SAA", Style: NewStyle(0x000000, 1.2, GlyphDisc)},
	{ID: "power", Name: "Power (Oja)", Style: NewStyle(0x56B4E9, 1.5, GlyphPlus, 5, 2, 1.2, 2, 1.2, 2)},
	{ID: "gha", Name: "GHA", Style: NewStyle(0x9A8700, 1.5, GlyphCross, 2.5, 1.5)},
	{ID: "incremental", Name: "Incremental", Style: NewStyle(0x009E73, 1.6, GlyphTriangle, 7, 2, 1.4, 2)},
	{ID: "warmuth-kuzmin", Name: "Warmuth & Kuzmin", Style: NewStyle(0xCC79A7, 1.6, GlyphSquare, 10, 2.5), Rank: "Uncapped eigenvalues k′ₜ"},
	{ID: "msg", Name: "MSG", Style: NewStyle(0x0072B2, 1.6, GlyphDisc)},
	{ID: "capped-msg", Name: "Capped MSG", Style: NewStyle(0xD55E00, 1.6, GlyphBox, 5, 2)},
	{ID: "grouse", Name: "GROUSE", Style: NewStyle(0xE69F00, 1.6, GlyphPyramid, 1.4, 1.6)},
}

var knownSparse = Catalog{
	{ID: "sparsify-aggressive", Name: "Sparsify (aggressive)", Style: NewStyle(0xB2182B, 2.6, GlyphDisc)},
	{ID: "sparsify", Name: "Sparsify", Style: NewStyle(0x2166AC, 2.2, GlyphBox)},
	{ID: "sparsify-smooth", Name: "Sparsify (smooth)", Style: NewStyle(0x762A83, 2, GlyphPyramid, 11, 1.5)},
	{ID: "spsvm", Name: "SpSVM", Style: NewStyle(0x00A0A8, 1.5, GlyphTriangle, 6, 2)},
	{ID: "cpsp", Name: "CPSP", Style: NewStyle(0x1B7837, 1.5, GlyphSquare, 8, 2, 1.5, 2)},
	{ID: "forgetron", Name: "Forgetron", Style: NewStyle(0xD9A400, 1.5, GlyphPlus, 2.2, 3)},
	{ID: "rbp", Name: "RBP", Style: NewStyle(0x66A61E, 1.5, GlyphRing, 5, 1.5, 1.2, 1.5, 1.2, 1.5)},
}

var knownSVM = Catalog{
	{ID: "sbp", Name: "SBP", Style: NewStyle(0xD55E00, 1.8, GlyphDisc)},
	{ID: "sgd", Name: "SGD", Style: NewStyle(0x56B4E9, 1.5, GlyphPlus, 2.5, 1.5)},
	{ID: "pegasos", Name: "Pegasos", Style: NewStyle(0x0072B2, 1.5, GlyphSquare, 7, 2)},
	{ID: "sdca", Name: "SDCA", Style: NewStyle(0x009E73, 1.6, GlyphTriangle, 7, 2, 1.4, 2)},
	{ID: "smo", Name: "SMO", Style: NewStyle(0x000000, 1.3, GlyphBox, 10, 2.5)},
	{ID: "decomposition", Name: "Dual decomposition", Style: NewStyle(0x882255, 1.5, GlyphCross, 5, 2, 1.2, 2, 1.2, 2)},
	{ID: "perceptron", Name: "Perceptron", Style: NewStyle(0xCC79A7, 1.6, GlyphRing)},
	{ID: "rff", Name: "Fourier features", Style: NewStyle(0xE69F00, 1.6, GlyphPyramid, 5, 2)},
	{ID: "linear-sdca", Name: "SDCA (linear)", Style: NewStyle(0x117733, 1.5, GlyphTriangle, 8, 2, 3, 2)},
	{ID: "libsvm", Name: "LIBSVM", Style: NewStyle(0x6A1B9A, 1.5, GlyphDisc, 2, 3), Clock: "svm-train's own time, from its start to its end"},
}

var knownLosses = Catalog{
	{ID: "zero-one", Name: "0/1 loss", Style: NewStyle(0x000000, 1.4, GlyphDisc, 7, 2)},
	{ID: "hinge", Name: "Hinge loss", Style: NewStyle(0x0072B2, 1.4, GlyphSquare, 2.5, 1.5)},
	{ID: "slant", Name: "Slant loss", Style: NewStyle(0xB2182B, 1.8, GlyphPyramid, 5, 2)},
}
