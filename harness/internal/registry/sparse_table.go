package registry

import (
	"cmp"
	"slices"

	"stochopt/algorithms/sparse"
	"stochopt/algorithms/svm"
	"stochopt/harness/internal/seed"
	"stochopt/harness/internal/spec"
	"stochopt/plots"
)

// sparseTable lists the sparse SVM methods in the order of legends: the methods of Cotter 2013,
// chapter 3, competing methods, budgeted learners, and the optimisers of chapters 1 and 2, which stop at
// a number of expansion vectors. In figures the thesis's own methods have wide solid lines. The others
// have thin lines, most of them dashed.
var sparseTable = []Algorithm{
	sparsifier(0.5, sparse.NewSparsifyAggressive, Algorithm{
		Algorithm: spec.Algorithm{ID: "sparsify-aggressive", Title: "Sparsification, aggressive",
			Source:   "Cotter 2013, section 3.5.1",
			Update:   "as sparsify, but steps on the k existing vectors until their constraints hold to within ε",
			StepCost: "n kernel evaluations, 2n for a pair; O(k) on existing vectors"},
		look:   plots.Algorithm{Name: "Sparsify (aggressive)", Style: plots.NewStyle(0xB2182B, 2.6, plots.GlyphDisc)},
		memory: func(_ Params, s Shape) int64 { return sparse.AggressiveBytes(s.Train) },
	}),
	sparsifier(0.5, sparse.NewSparsify, Algorithm{
		Algorithm: spec.Algorithm{ID: "sparsify", Title: "Sparsification by subgradient descent",
			Source:   "Cotter 2013, section 3.3.2, algorithm 3.1",
			Update:   "w̃ ← w̃ + η y_i Φ(x_i), i the maximiser of h_i − y_i⟨w̃, Φ(x_i)⟩, h_i = min(1, y_i⟨w, Φ(x_i)⟩)",
			StepCost: "n kernel evaluations, 2n for a pair; O(n)"},
		look: plots.Algorithm{Name: "Sparsify", Style: plots.NewStyle(0x2166AC, 2.2, plots.GlyphBox)},
	}),
	sparsifier(1.0/3, sparse.NewSparsifySmooth, Algorithm{
		Algorithm: spec.Algorithm{ID: "sparsify-smooth", Title: "Sparsification, norm-constrained", Version: 2,
			Source:   "Cotter 2013, section 3.3.4",
			Update:   "as sparsify, then a projection onto ‖w̃‖ ≤ ‖w‖",
			StepCost: "n kernel evaluations, 2n for a pair; O(n)"},
		look: plots.Algorithm{Name: "Sparsify (smooth)", Style: plots.NewStyle(0x762A83, 2, plots.GlyphPyramid, 11, 1.5)},
	}),
	{
		Algorithm: spec.Algorithm{ID: "sparsify-sbp", Title: "Sparsification of the SBP's classifier",
			Source: "Cotter 2013, sections 3.3.5 and 3.3.6", Version: 1,
			Update:   "some passes of sbp, then sparsify applied to its classifier",
			StepCost: "as sbp, then as sparsify",
			Params:   params(paramsProblem, paramDraw, paramTraining, paramEta, paramThreshold, paramRelearn)},
		look: plots.Algorithm{Name: "SBP, sparsified", Style: plots.NewStyle(0xB35806, 2.2, plots.GlyphSquare, 13, 2)},
		bias: eitherBias,
		needs: func(p Params) Needs {
			return Needs{Nu: true, WorkingSet: coefficientsPerStep(p.Text("draw") == drawPair)}
		},
		fill:  func(p Params) { fillDraw(p); fillRelearn(p) },
		check: func(p Params) error { return cmp.Or(checkDraw(p), checkRelearn(p)) },
		sparse: func(e Env, p Params) (sparse.Learner, error) {
			problem, sbp, err := svmRow("sbp").construct(e, p)
			if err != nil {
				return nil, err
			}
			steps := p.Int("training") * problem.Rows.Train() / coefficientsPerStep(p.Text("draw") == drawPair)
			return sparse.NewPipeline(problem, sbp, int64(steps), func(ref *sparse.Reference) (sparse.Learner, error) {
				return sparse.NewSparsify(sparsifyConfig(p), problem, ref)
			})
		},
	},
	{
		Algorithm: spec.Algorithm{ID: "spsvm", Title: "SpSVM (greedy basis selection)", Version: 2,
			Source:   "Cotter 2013, section 3.4.2; Keerthi, Chapelle & DeCoste 2006",
			Update:   "adds the best of κ candidates to the basis J and minimises ½ βᵀKβ + (C/2) Σ max(0, 1 − y_i o_i)² over β, b",
			StepCost: "κ n kernel evaluations; O(κ n + n|J|), and up to O(n|J|² + |J|³) if the loss changes",
			Params:   params(paramsProblem, paramCandidates, paramBasis)},
		look: plots.Algorithm{Name: "SpSVM", Style: plots.NewStyle(0x00A0A8, 1.5, plots.GlyphTriangle, 6, 2)},
		bias: eitherBias,
		needs: func(p Params) Needs {
			return Needs{Lambda: true, WorkingSet: p.Int("candidates")}
		},
		memory: func(p Params, s Shape) int64 {
			return sparse.SpSVMBytes(s.Train, min(p.Int("support"), s.Train))
		},
		sparse: func(e Env, p Params) (sparse.Learner, error) {
			problem := e.Kernel()
			cfg := sparse.SpSVMConfig{C: e.C, Bias: e.Bias, Support: atMost(p, "support", problem), Candidates: p.Int("candidates")}
			return sparse.NewSpSVM(e.Context, cfg, problem, e.Rand(seed.RoleInit))
		},
	},
	{
		Algorithm: spec.Algorithm{ID: "cpsp", Title: "CPSP (cutting-plane subspace pursuit)",
			Source: "Cotter 2013, section 3.4.2; Joachims & Yu 2009", Version: 2,
			Update:   "a cutting plane of the SVM in span(Φ(z_1), …); adds a pre-image of the component outside the span",
			StepCost: "n + k kernel evaluations per iteration of the pre-image and n per start, otherwise none; O(n k + m² k)",
			Params:   params(paramsProblem, paramBasisCount, paramPursue, paramEvery, paramPlaneStarts, paramPlaneTolerance)},
		look:  plots.Algorithm{Name: "CPSP", Style: plots.NewStyle(0x1B7837, 1.5, plots.GlyphSquare, 8, 3, 1.5, 3)},
		bias:  eitherBias,
		needs: func(p Params) Needs { return Needs{Lambda: true, Inputs: true, WorkingSet: p.Int("starts")} },
		memory: func(p Params, s Shape) int64 {
			return sparse.CPSPBytes(s.Train, s.Features, min(p.Int("basis"), s.Train))
		},
		sparse: func(e Env, p Params) (sparse.Learner, error) {
			problem := e.Kernel()
			cfg := sparse.CPSPConfig{C: e.C, Basis: atMost(p, "basis", problem), Tolerance: p.Float("tolerance"), Starts: p.Int("starts"),
				Plane: p.Text("pursue") == "plane", Every: p.Int("every"), Bias: e.Bias}
			return sparse.NewCPSP(e.Context, cfg, problem, e.Inputs(), e.Rand(seed.RoleInit))
		},
	},
	{
		Algorithm: spec.Algorithm{ID: "osuna-girosi", Title: "Support vector regression on the reference (Osuna & Girosi)",
			Version: 1, Deterministic: true,
			Source:   "Cotter 2013, section 3.4.1; Osuna & Girosi 1998",
			Update:   "a step of SMO for ½ ‖w̃‖² + C Σ max(0, |⟨w, Φ(x_i)⟩ − ⟨w̃, Φ(x_i)⟩| − ε)",
			StepCost: "n kernel evaluations, 2n with a bias; O(n)",
			Params:   params(paramsProblem, paramTube, paramViolation)},
		look: plots.Algorithm{Name: "Osuna & Girosi", Style: plots.NewStyle(0x737373, 1.5, plots.GlyphRing, 3, 1.5)},
		bias: eitherBias,
		needs: func(p Params) Needs {
			return Needs{Reference: true, Lambda: true, WorkingSet: coefficientsPerStep(p.Bool("bias"))}
		},
		sparse: func(e Env, p Params) (sparse.Learner, error) {
			return sparse.NewOsunaGirosi(sparse.OsunaGirosiConfig{
				Epsilon: p.Float("epsilon"), C: e.C, Bias: e.Bias, Tolerance: p.Float("tolerance"),
			}, e.Kernel(), e.Reference())
		},
	},
	{
		Algorithm: spec.Algorithm{ID: "rsvm", Title: "RSVM (random subset)", Version: 2,
			Source:   "Cotter 2013, section 3.4.2; Lee & Mangasarian 2001",
			Update:   "a Newton step for ½ (‖u‖² + b²) + (C/2) Σ max(0, 1 − y_i o_i)² on a random subset R",
			StepCost: "|R| n kernel evaluations in the first step, then none; O(n|R|)",
			Params:   params(paramsProblem, paramRatio)},
		look:  plots.Algorithm{Name: "RSVM", Style: plots.NewStyle(0x8C6D1F, 1.5, plots.GlyphPlus, 4.5, 2)},
		bias:  eitherBias,
		needs: func(Params) Needs { return Needs{Lambda: true} },
		memory: func(p Params, s Shape) int64 {
			return sparse.RSVMBytes(s.Train, sparse.RSVMPoints(s.Train, p.Float("ratio")))
		},
		sparse: func(e Env, p Params) (sparse.Learner, error) {
			cfg := sparse.RSVMConfig{C: e.C, Bias: e.Bias, Ratio: p.Float("ratio")}
			return sparse.NewRSVM(e.Context, cfg, e.Kernel(), e.Rand(seed.RoleInit))
		},
	},
	{
		Algorithm: spec.Algorithm{ID: "csvm", Title: "Condensed vectors (Nguyen et al.)",
			Version: 3, Deterministic: true,
			Source:   "Cotter 2013, section 3.4.2; Nguyen & Ho 2006; Nguyen, Matsumoto, Takishima & Hashimoto 2010",
			Update:   "merges the pair within a class whose merger z = k x + (1 − k) x′ changes w least",
			StepCost: "one kernel evaluation per evaluated pair; O(s)",
			Params:   params(paramsProblem, paramCondensed)},
		look:  plots.Algorithm{Name: "CSVM", Style: plots.NewStyle(0xC51B7D, 1.5, plots.GlyphCross, 9.5, 2.5)},
		bias:  eitherBias,
		needs: func(Params) Needs { return Needs{Reference: true, Inputs: true} },
		memory: func(p Params, s Shape) int64 {
			return sparse.CSVMBytes(s.Train, s.Features, p.Bool("bias"))
		},
		sparse: func(e Env, p Params) (sparse.Learner, error) {
			return sparse.NewCSVM(e.Context, sparse.CSVMConfig{
				Support: p.Int("support"), Relearn: e.Bias,
			}, e.Kernel(), e.Inputs(), e.Reference())
		},
	},
	{
		Algorithm: spec.Algorithm{ID: "reduced-set", Title: "Reduced set (Burges & Schölkopf)",
			Version: 2, Deterministic: true,
			Source:   "Cotter 2013, section 3.4.2; Burges & Schölkopf 1997; Schölkopf et al. 1999",
			Update:   "z_m = a pre-image of w − Σ β_j Φ(z_j) by fixed-point iteration; then recomputes all β",
			StepCost: "one kernel evaluation per evaluated pair; O(s m + m²) per iteration",
			Params:   params(paramsProblem, paramReducedSet)},
		look:  plots.Algorithm{Name: "Reduced set", Style: plots.NewStyle(0x9E9AC8, 1.6, plots.GlyphTriangle, 1.5, 1.5)},
		bias:  eitherBias,
		needs: func(Params) Needs { return Needs{Reference: true, Inputs: true} },
		memory: func(p Params, s Shape) int64 {
			return sparse.ReducedSetBytes(s.Train, s.Features, min(p.Int("support"), s.Train), p.Bool("bias"))
		},
		sparse: func(e Env, p Params) (sparse.Learner, error) {
			problem := e.Kernel()
			return sparse.NewReducedSet(sparse.ReducedSetConfig{
				Support: atMost(p, "support", problem), Relearn: e.Bias,
			}, problem, e.Inputs(), e.Reference())
		},
	},
	{
		Algorithm: spec.Algorithm{ID: "ramp", Title: "Ramp loss by CCCP",
			Version: 1, Deterministic: true,
			Source:   "Cotter 2013, section 3.4.3; Collobert, Sinz, Weston & Bottou 2006",
			Update:   "a step of SMO for the SVM whose α_i lie in [−μ_i, C − μ_i]; μ_i = C where y_i g(x_i) < s, updated each round",
			StepCost: "n kernel evaluations, 2n for a pair; O(n)",
			Params:   params(paramsProblem, paramRampMargin, paramViolation)},
		look: plots.Algorithm{Name: "Ramp loss", Style: plots.NewStyle(0x663300, 1.5, plots.GlyphSquare, 7.5, 3, 3, 3)},
		bias: eitherBias,
		needs: func(p Params) Needs {
			return Needs{Lambda: true, WorkingSet: coefficientsPerStep(p.Bool("bias"))}
		},
		sparse: func(e Env, p Params) (sparse.Learner, error) {
			cfg := sparse.RampConfig{C: e.C, S: p.Float("s"), Bias: e.Bias, Tolerance: p.Float("tolerance")}
			return sparse.NewRamp(cfg, e.Kernel())
		},
	},
	{
		Algorithm: spec.Algorithm{ID: "zhan-shen", Title: "Exclusion by curvature and regression (Zhan & Shen)",
			Source: "Cotter 2013, section 3.4.1; Zhan & Shen 2005", Version: 2, Deterministic: true,
			Update:   "excludes the support vectors where the surface is most curved, retrains the SVM, and approximates it as osuna-girosi does",
			StepCost: "m kernel evaluations per curvature, n or 2n per step; O(m d), O(n)",
			Params:   params(paramsProblem, paramExclude, paramTube, paramViolation)},
		look: plots.Algorithm{Name: "Zhan & Shen", Style: plots.NewStyle(0xE58A75, 1.5, plots.GlyphCross, 4, 2.5, 1.5, 2.5)},
		bias: eitherBias,
		needs: func(p Params) Needs {
			return Needs{Reference: true, Lambda: true, Inputs: true, WorkingSet: coefficientsPerStep(p.Bool("bias"))}
		},
		sparse: func(e Env, p Params) (sparse.Learner, error) {
			return sparse.NewZhanShen(sparse.ZhanShenConfig{
				C: e.C, Bias: e.Bias, Exclude: p.Float("exclude"), Epsilon: p.Float("epsilon"), Tolerance: p.Float("tolerance"),
			}, e.Kernel(), e.Inputs(), e.Reference())
		},
	},
	{
		Algorithm: spec.Algorithm{ID: "forgetron", Title: "Forgetron", Version: 1,
			Source:   "Dekel, Shalev-Shwartz & Singer 2005, 2008",
			Update:   "a Perceptron step; beyond B vectors, scales all by φ and removes the oldest",
			StepCost: "one kernel evaluation per vector; O(n) at a mistake",
			Params:   params(paramsProblem, paramPass, paramBudget)},
		look: plots.Algorithm{Name: "Forgetron", Style: plots.NewStyle(0xD9A400, 1.8, plots.GlyphPlus, 4, 4)},
		bias: ignoresBias,
		sparse: func(e Env, p Params) (sparse.Learner, error) {
			return sparse.NewForgetron(sparse.BudgetConfig{Budget: p.Int("support")}, e.Kernel(), e.Order(p.Text("order")))
		},
	},
	{
		Algorithm: spec.Algorithm{ID: "rbp", Title: "Randomized Budget Perceptron", Version: 1,
			Source:   "Cavallanti, Cesa-Bianchi & Gentile 2007",
			Update:   "a Perceptron step; beyond B vectors, removes a random one",
			StepCost: "one kernel evaluation per vector; O(n) at a mistake",
			Params:   params(paramsProblem, paramPass, paramBudget)},
		look: plots.Algorithm{Name: "RBP", Style: plots.NewStyle(0x3B4CC0, 1.8, plots.GlyphRing)},
		bias: ignoresBias,
		sparse: func(e Env, p Params) (sparse.Learner, error) {
			cfg := sparse.BudgetConfig{Budget: p.Int("support")}
			return sparse.NewRBP(cfg, e.Kernel(), e.Order(p.Text("order")), e.Rand(seed.RoleInit))
		},
	},
	{
		Algorithm: spec.Algorithm{ID: "perceptron-separable", Title: "Perceptron on the points that the reference separates",
			Source: "Cotter 2013, section 3.2", Version: 1,
			Update:   "as perceptron, with the bias of the reference g, on the points with y_i g(x_i) ≥ 1, until all are correct",
			StepCost: "one kernel evaluation per vector; O(n) at a mistake",
			Params:   params(paramsProblem, paramPass)},
		look:  plots.Algorithm{Name: "Perceptron (separable)", Style: plots.NewStyle(0x4D9221, 1.5, plots.GlyphDisc, 2, 1.5, 6, 1.5)},
		bias:  eitherBias,
		needs: func(Params) Needs { return Needs{Reference: true} },
		sparse: func(e Env, p Params) (sparse.Learner, error) {
			return sparse.NewSeparablePerceptron(e.Kernel(), e.Order(p.Text("order")), e.Reference())
		},
	},
	optimiser("perceptron", paramPass),
	optimiser("sbp", paramDraw),
	optimiser("sgd", paramOrder, paramSVMIterate),
	optimiser("pegasos", paramOrder, paramSVMIterate),
	optimiser("sdca", paramOrder),
	optimiser("smo", paramViolation),
}

// sparsifier completes the row of a method that takes a SparsifyConfig. theory is the default of its step
// size and of its tolerance.
func sparsifier[L sparse.Learner](theory float64, create func(sparse.SparsifyConfig, svm.Problem, *sparse.Reference) (L, error), a Algorithm) Algorithm {
	eta, epsilon := paramEta, paramThreshold
	eta.Default, epsilon.Default = theory, theory
	a.Version, a.Deterministic = max(a.Version, 1), true
	a.Params = params(paramsProblem, eta, epsilon, paramRelearn)
	a.bias, a.fill, a.check = eitherBias, fillRelearn, checkRelearn
	a.needs = func(p Params) Needs {
		return Needs{Reference: true, WorkingSet: coefficientsPerStep(p.Bool("relearn"))}
	}
	a.sparse = func(e Env, p Params) (sparse.Learner, error) {
		return create(sparsifyConfig(p), e.Kernel(), e.Reference())
	}
	return a
}

func sparsifyConfig(p Params) sparse.SparsifyConfig {
	return sparse.SparsifyConfig{Eta: p.Float("eta"), Epsilon: p.Float("epsilon"), Relearn: p.Bool("relearn")}
}

// svmRow returns the row of svmTable with the given id.
func svmRow(id string) *Algorithm {
	return &svmTable[slices.IndexFunc(svmTable, func(a Algorithm) bool { return a.ID == id })]
}

// construct constructs the optimiser of a row of svmTable and returns it with its problem.
func (a *Algorithm) construct(e Env, p Params) (svm.Problem, svm.Learner, error) {
	problem := e.Kernel()
	e.Kernel = func() svm.Problem { return problem }
	l, err := a.svm(e, p)
	return problem, l, err
}

// optimiser returns a row for the optimiser with the same id in svmTable, which here stops at a number of
// expansion vectors. own has its parameters in addition to the common ones.
func optimiser(id string, own ...spec.Param) Algorithm {
	of := svmRow(id)
	bias := of.bias
	if bias == withoutBias {
		bias = ignoresBias
	}
	return Algorithm{
		Algorithm: spec.Algorithm{ID: id, Title: of.Title, Source: of.Source, Update: of.Update, StepCost: of.StepCost,
			Version: of.Version, Deterministic: of.Deterministic,
			Params: params(paramsProblem, own, paramStop)},
		bias: bias, needs: of.needs, fill: of.fill, check: of.check,
		sparse: func(e Env, p Params) (sparse.Learner, error) {
			problem, l, err := of.construct(e, p)
			if err != nil {
				return nil, err
			}
			return sparse.NewOptimiser(sparse.OptimiserConfig{Support: p.Int("support")}, problem, l.(svm.SupportCounter))
		},
	}
}

// sparseVariants has the looks of sparsification series. Most are variants of one algorithm that share a
// figure.
var sparseVariants = plots.Catalog{
	{ID: "aggressive", Name: "aggressive", Style: plots.NewStyle(0xB2182B, 2, plots.GlyphDisc)},
	{ID: "aggressive-pairs", Name: "aggressive-pairs", Style: plots.NewStyle(0xB2182B, 1.5, plots.GlyphRing, 4, 4)},
	{ID: "basic", Name: "basic", Style: plots.NewStyle(0x2166AC, 2, plots.GlyphBox, 9, 3)},
	{ID: "basic-pairs", Name: "basic-pairs", Style: plots.NewStyle(0x2166AC, 1.5, plots.GlyphSquare, 3, 4)},
	{ID: "kept", Name: "kept", Style: plots.NewStyle(0xE08A00, 1.8, plots.GlyphPyramid, 6, 3, 1.5, 3)},
	{ID: "relearned", Name: "relearned", Style: plots.NewStyle(0x1A9850, 1.8, plots.GlyphTriangle, 2, 2.5)},
}
