package plots

import "slices"

// entry is a line of the registry of fixed styles.
type entry struct {
	id, name string
	style    Style
}

// The tables below fix the name and look of every algorithm, one table a task,
// each in the order in which legends and tables list them. The colours are
// those of Okabe and Ito, which remain distinct under the common forms of
// colour blindness; their yellow, too faint on white, is darkened. Where a task
// has more algorithms than these, dark colours of Paul Tol's join them. Within a
// task no two share a colour or dashes other than a solid line, so that they
// are told apart in grey too; tasks never share a figure and may share looks.

var pcaStyles = []entry{
	{"saa", "SAA", fixed(0x000000, 1.2, GlyphDisc)},
	{"power", "Power (Oja)", fixed(0x56B4E9, 1.5, GlyphPlus, 5, 2, 1.2, 2, 1.2, 2)},
	{"gha", "GHA", fixed(0x9A8700, 1.5, GlyphCross, 2.5, 1.5)},
	{"incremental", "Incremental", fixed(0x009E73, 1.6, GlyphTriangle, 7, 2, 1.4, 2)},
	{"warmuth-kuzmin", "Warmuth & Kuzmin", fixed(0xCC79A7, 1.6, GlyphSquare, 10, 2.5)},
	{"msg", "MSG", fixed(0x0072B2, 1.6, GlyphDisc)},
	{"capped-msg", "Capped MSG", fixed(0xD55E00, 1.6, GlyphBox, 5, 2)},
	{"grouse", "GROUSE", fixed(0xE69F00, 1.6, GlyphPyramid, 1.4, 1.6)},
}

// The methods for sparse SVMs share figures with those of the task svm, which come
// after them. The thesis's own are drawn solid and wide, their rivals thin and
// dashed; ramp is a loss too.
var sparseStyles = []entry{
	{"sparsify-aggressive", "Sparsify (aggressive)", fixed(0xB2182B, 2.6, GlyphDisc)},
	{"sparsify", "Sparsify", fixed(0x2166AC, 2.2, GlyphBox)},
	{"sparsify-smooth", "Sparsify (smooth)", fixed(0x762A83, 2, GlyphPyramid, 11, 1.5)},
	{"spsvm", "SpSVM", fixed(0x00A0A8, 1.5, GlyphTriangle, 6, 2)},
	{"cpsp", "CPSP", fixed(0x1B7837, 1.5, GlyphSquare, 8, 2, 1.5, 2)},
	{"osuna-girosi", "Osuna & Girosi", fixed(0x737373, 1.5, GlyphRing, 3, 1.5)},
	{"rsvm", "RSVM", fixed(0x8C6D1F, 1.5, GlyphPlus, 4.5, 2)},
	{"csvm", "CSVM", fixed(0xC51B7D, 1.5, GlyphCross, 9.5, 2.5)},
	{"reduced-set", "Reduced set", fixed(0x9E9AC8, 1.6, GlyphTriangle, 1.5, 1.5)},
	{"ramp", "Ramp loss", fixed(0x663300, 1.5, GlyphSquare, 7.5, 2, 3, 2)},
	{"zhan-shen", "Zhan & Shen", fixed(0xE58A75, 1.5, GlyphCross, 3.5, 1.5, 1.2, 1.5)},
	{"forgetron", "Forgetron", fixed(0xD9A400, 1.5, GlyphPlus, 2.2, 3)},
	{"rbp", "RBP", fixed(0x66A61E, 1.5, GlyphRing, 5, 1.5, 1.2, 1.5, 1.2, 1.5)},
}

// The Perceptron's line is solid, as its dashes say something else: the epochs
// after the first.
var svmStyles = []entry{
	{"sbp", "SBP", fixed(0xD55E00, 1.8, GlyphDisc)},
	{"sgd", "SGD", fixed(0x56B4E9, 1.5, GlyphPlus, 2.5, 1.5)},
	{"pegasos", "Pegasos", fixed(0x0072B2, 1.5, GlyphSquare, 7, 2)},
	{"sdca", "SDCA", fixed(0x009E73, 1.6, GlyphTriangle, 7, 2, 1.4, 2)},
	{"smo", "SMO", fixed(0x000000, 1.3, GlyphBox, 10, 2.5)},
	{"decomposition", "Dual decomposition", fixed(0x882255, 1.5, GlyphCross, 5, 2, 1.2, 2, 1.2, 2)},
	{"perceptron", "Perceptron", fixed(0xCC79A7, 1.6, GlyphRing)},
	{"rff", "Fourier features", fixed(0xE69F00, 1.6, GlyphPyramid, 5, 2)},
	{"linear-sdca", "SDCA (linear)", fixed(0x117733, 1.5, GlyphTriangle, 8, 2, 3, 2)},
	{"linear-pegasos", "Pegasos (linear)", fixed(0x332288, 1.5, GlyphSquare, 3.5, 1.5, 1, 1.5)},
	{"simba", "SIMBA", fixed(0x9A8700, 1.6, GlyphDisc, 1.4, 1.6)},
	{"libsvm", "LIBSVM", fixed(0x6A1B9A, 1.5, GlyphBoldCross, 2, 3)},
}

// lossStyles are those of the functions of the margin.
var lossStyles = []entry{
	{"zero-one", "0/1 loss", fixed(0x000000, 1.4, GlyphDisc, 7, 2)},
	{"hinge", "Hinge loss", fixed(0x0072B2, 1.4, GlyphSquare, 2.5, 1.5)},
	{"psi", "ψ", fixed(0xD55E00, 1.8, GlyphTriangle)},
	{"slant", "Slant loss", fixed(0xB2182B, 1.8, GlyphPyramid, 5, 2)},
	{"smooth", "Smooth loss", fixed(0x009E73, 1.8, GlyphRing, 8, 2, 1.5, 2)},
	{"hinge-third", "Hinge loss at z + 1/3", fixed(0x56B4E9, 1.5, GlyphBox, 10, 2.5)},
	{"slant-half", "Slant loss at z − 1/2", fixed(0xE79A9A, 2.6, GlyphPlus)},
	{"slant-sixth", "Slant loss at z − 1/6", fixed(0xD2A679, 2.6, GlyphCross)},
}

var styleTables = [][]entry{pcaStyles, sparseStyles, svmStyles, lossStyles}

// registry joins the tables. An id is in one of them only.
var registry = slices.Concat(styleTables...)

// rankNames are what axes call the ranks of algorithms that count something else: Warmuth
// & Kuzmin's W has full rank.
var rankNames = map[string]string{"warmuth-kuzmin": "Uncapped eigenvalues k′_{t}"}

// clocks says whose the recorded times are of algorithms that another program runs.
var clocks = map[string]string{"libsvm": "svm-train's own, from its start to its end"}
