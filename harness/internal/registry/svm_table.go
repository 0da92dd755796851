package registry

import (
	"stochopt/algorithms/svm"
	"stochopt/algorithms/svm/svmtrain"
	"stochopt/harness/internal/seed"
	"stochopt/harness/internal/spec"
	"stochopt/plots"
)

// svmTable lists the SVM algorithms, kernel methods first. The Perceptron's line is solid, because dashes
// mark its epochs after the first.
var svmTable = []Algorithm{
	{
		Algorithm: spec.Algorithm{ID: "sbp", Title: "Stochastic Batch Perceptron", Version: 3,
			Source:   "Cotter 2013, section 2.3",
			Update:   "w ← P(w + η_t y_i Φ(x_i)), i drawn from the points below the water level, P onto the unit ball; with pairs η_t/2 (Φ(x_i) − Φ(x_j))",
			StepCost: "n kernel evaluations, 2n for a pair; O(N)",
			Params:   params(paramsProblem, paramDraw)},
		look: plots.Algorithm{Name: "SBP", Style: plots.NewStyle(0xD55E00, 1.8, plots.GlyphDisc)},
		bias: eitherBias,
		needs: func(p Params) Needs {
			return Needs{Kernel: true, Nu: true, WorkingSet: coefficientsPerStep(p.Text("draw") == drawPair)}
		},
		fill:  fillDraw,
		check: checkDraw,
		svm: func(e Env, p Params) (svm.Learner, error) {
			cfg := svm.SBPConfig{Nu: e.Nu, Bias: e.Bias, Pair: p.Text("draw") == drawPair}
			return svm.NewSBP(cfg, e.Kernel(), e.Rand(seed.RoleInit))
		},
	},
	{
		Algorithm: spec.Algorithm{ID: "sgd", Title: "Stochastic gradient descent, norm-constrained",
			Source: "Cotter 2013, section 1.4.1", Version: 2,
			Update:   "w ← P(w + η_t y_i Φ(x_i)) if y_i⟨w, Φ(x_i)⟩ < 1, P onto the ball of radius R, η_t = R√(2/t)",
			StepCost: "n kernel evaluations; O(N), O(1) if w does not change",
			Params:   params(paramsProblem, paramOrder, paramSVMIterate)},
		look:            plots.Algorithm{Name: "SGD", Style: plots.NewStyle(0x56B4E9, 1.5, plots.GlyphPlus, 2.5, 1.5)},
		AssumesUnitNorm: true,
		needs:           func(Params) Needs { return Needs{Kernel: true, R: true} },
		svm: func(e Env, p Params) (svm.Learner, error) {
			return svm.NewSGD(svm.SGDConfig{R: e.R, Last: p.Text("iterate") == "last"}, e.Kernel(), e.Order(p.Text("order")))
		},
	},
	{
		Algorithm: spec.Algorithm{ID: "pegasos", Title: "Pegasos", Version: 2,
			Source:   "Cotter 2013, section 1.4.1; Shalev-Shwartz, Singer & Srebro 2007",
			Update:   "w ← (1 − 1/t) w + [y_i⟨w, Φ(x_i)⟩ < 1] y_i Φ(x_i)/(λt)",
			StepCost: "n kernel evaluations; O(N), O(1) if nothing is added",
			Params:   params(paramsProblem, paramOrder, paramSVMIterate)},
		look:            plots.Algorithm{Name: "Pegasos", Style: plots.NewStyle(0x0072B2, 1.5, plots.GlyphSquare, 7, 2)},
		AssumesUnitNorm: true,
		needs:           needsLambda(1),
		svm: func(e Env, p Params) (svm.Learner, error) {
			return svm.NewPegasos(svm.PegasosConfig{Lambda: e.Lambda, Last: p.Text("iterate") == "last"}, e.Kernel(), e.Order(p.Text("order")))
		},
	},
	{
		Algorithm: spec.Algorithm{ID: "sdca", Title: "Stochastic dual coordinate ascent", Version: 2,
			Source:   "Cotter 2013, section 1.4.2; Hsieh et al. 2008",
			Update:   "α_i ← clip(α_i + (1 − y_i⟨w, Φ(x_i)⟩)/K_ii, 0, 1/(λn))",
			StepCost: "n kernel evaluations; O(N), O(1) if α_i does not change",
			Params:   params(paramsProblem, paramOrder)},
		look:  plots.Algorithm{Name: "SDCA", Style: plots.NewStyle(0x009E73, 1.6, plots.GlyphTriangle, 7, 3, 2, 3)},
		needs: needsLambda(1),
		svm: func(e Env, p Params) (svm.Learner, error) {
			return svm.NewSDCA(svm.SDCAConfig{Lambda: e.Lambda}, e.Kernel(), e.Order(p.Text("order")))
		},
	},
	{
		Algorithm: spec.Algorithm{ID: "smo", Title: "Sequential minimal optimisation",
			Version: 3, Deterministic: true,
			Source:   "Cotter 2013, section 1.4.2; Platt 1998; Fan, Chen & Lin 2005",
			Update:   "maximises the dual over the most promising coordinate, or pair of coordinates with a bias",
			StepCost: "n kernel evaluations, 2n for a pair; O(N)",
			Params:   params(paramsProblem, paramViolation)},
		look:  plots.Algorithm{Name: "SMO", Style: plots.NewStyle(0x000000, 1.3, plots.GlyphBox, 10, 2.5)},
		bias:  eitherBias,
		needs: func(p Params) Needs { return needsLambda(coefficientsPerStep(p.Bool("bias")))(p) },
		svm: func(e Env, p Params) (svm.Learner, error) {
			return svm.NewSMO(svm.SMOConfig{Lambda: e.Lambda, Bias: e.Bias, Tolerance: p.Float("tolerance")}, e.Kernel())
		},
	},
	{
		Algorithm: spec.Algorithm{ID: "decomposition", Title: "Dual decomposition (SVM-Light)",
			Source: "Cotter 2013, section 1.4.2; Joachims 1999", Version: 2, Deterministic: true,
			Update:   "maximises the dual over the q most promising coordinates",
			StepCost: "q n kernel evaluations; O(q N)",
			Params:   params(paramsProblem, paramSize, paramViolation)},
		look:  plots.Algorithm{Name: "Dual decomposition", Style: plots.NewStyle(0x882255, 1.5, plots.GlyphCross, 5, 3, 2, 3)},
		bias:  eitherBias,
		check: checkSize,
		needs: func(p Params) Needs { return needsLambda(p.Int("size"))(p) },
		svm: func(e Env, p Params) (svm.Learner, error) {
			return svm.NewDecomposition(svm.DecompositionConfig{Lambda: e.Lambda, Bias: e.Bias, Size: p.Int("size"), Tolerance: p.Float("tolerance")}, e.Kernel())
		},
	},
	{
		Algorithm: spec.Algorithm{ID: "perceptron", Title: "Perceptron", Version: 2,
			Source:   "Cotter 2013, section 1.5.1; Rosenblatt 1958; Freund & Schapire 1999",
			Update:   "w ← w + y_i Φ(x_i) if y_i⟨w, Φ(x_i)⟩ ≤ 0",
			StepCost: "one kernel evaluation per support vector; O(N) at a mistake",
			Params:   params(paramsProblem, withDefault(paramOrder, "pass", "pass", "uniform"), paramConversion)},
		look:  plots.Algorithm{Name: "Perceptron", Style: plots.NewStyle(0xCC79A7, 1.6, plots.GlyphRing)},
		needs: func(Params) Needs { return Needs{Kernel: true} },
		svm: func(e Env, p Params) (svm.Learner, error) {
			cfg := svm.PerceptronConfig{Average: p.Text("conversion") == "average"}
			if p.Text("conversion") == "sample" {
				cfg.Sample = e.Rand(seed.RoleOutput)
			}
			return svm.NewPerceptron(cfg, e.Kernel(), e.Order(p.Text("order")))
		},
	},
	{
		Algorithm: spec.Algorithm{ID: "rff", Title: "Random Fourier features", Version: 3,
			Source:   "Cotter 2013, section 1.5.2; Rahimi & Recht 2007",
			Update:   "solves the linear SVM in k = 2^(t−1) pairs cos⟨v, x⟩, sin⟨v, x⟩, v ~ N(0, I/σ²)",
			StepCost: "k n inner products; O(N k d) and the optimisation",
			Params:   params(paramsProblem, paramPairs, positive(withDefault(paramGap, 1e-4)))},
		look:   plots.Algorithm{Name: "Fourier features", Style: plots.NewStyle(0xE69F00, 1.6, plots.GlyphPyramid, 5, 2)},
		kernel: "gaussian",
		needs: func(p Params) Needs {
			return Needs{Lambda: true, Steps: int64(svm.RFFSteps(max(p.Int("pairs"), 1)))}
		},
		memory: fourierMemory,
		svm: func(e Env, p Params) (svm.Learner, error) {
			x, train, positive := e.Vectors()
			cfg := svm.RFFConfig{Gamma: gaussianGamma(p), MaxPairs: p.Int("pairs"), Lambda: e.Lambda, Tolerance: p.Float("tolerance")}
			return svm.NewRFF(e.Context, cfg, x, train, positive, e.Rand(seed.RoleInit), e.Rand(seed.RoleOrder))
		},
	},
	{
		Algorithm: spec.Algorithm{ID: "linear-sdca", Title: "Stochastic dual coordinate ascent, linear",
			Source: "Cotter 2013, section 1.4.2; Hsieh et al. 2008", Version: 1,
			Update:   "α_i ← clip(α_i + (1 − y_i⟨w, x_i⟩)/‖x_i‖², 0, 1/(λn))",
			StepCost: "1 inner product; O(d)",
			Params:   linearParams(paramOrder, paramGap)},
		look:   plots.Algorithm{Name: "SDCA (linear)", Style: plots.NewStyle(0x117733, 1.5, plots.GlyphTriangle, 8, 3, 3, 3)},
		kernel: "linear",
		needs:  func(Params) Needs { return Needs{Lambda: true} },
		svm: func(e Env, p Params) (svm.Learner, error) {
			return svm.NewLinearSDCA(svm.LinearSDCAConfig{Lambda: e.Lambda, Tolerance: p.Float("tolerance")}, e.Linear(), e.Order(p.Text("order")))
		},
	},
	{
		Algorithm: spec.Algorithm{ID: "linear-pegasos", Title: "Pegasos, linear", Version: 1,
			Source:   "Cotter 2013, section 1.4.1; Shalev-Shwartz, Singer & Srebro 2007",
			Update:   "w ← (1 − 1/t) w + [y_i⟨w, x_i⟩ < 1] y_i x_i/(λt)",
			StepCost: "1 inner product; O(d)",
			Params:   linearParams(paramOrder, paramSVMIterate)},
		look:   plots.Algorithm{Name: "Pegasos (linear)", Style: plots.NewStyle(0x332288, 1.5, plots.GlyphSquare, 4, 3)},
		kernel: "linear", AssumesUnitNorm: true,
		needs: func(Params) Needs { return Needs{Lambda: true} },
		svm: func(e Env, p Params) (svm.Learner, error) {
			return svm.NewLinearPegasos(svm.LinearPegasosConfig{Lambda: e.Lambda, Last: p.Text("iterate") == "last"}, e.Linear(), e.Order(p.Text("order")))
		},
	},
	{
		Algorithm: spec.Algorithm{ID: "simba", Title: "SIMBA", Version: 2,
			Source:   "Cotter 2013, section 2.4.4; Hazan, Koren & Srebro 2011",
			Update:   "a stochastic primal-dual step: updates w by a point drawn from p, and p by a feature drawn according to w",
			StepCost: "1 + n/d inner products; O(n + d)",
			Params:   linearParams()},
		look:   plots.Algorithm{Name: "SIMBA", Style: plots.NewStyle(0x9A8700, 1.6, plots.GlyphDisc, 1.4, 1.6)},
		kernel: "linear",
		needs:  func(Params) Needs { return Needs{Nu: true} },
		svm: func(e Env, p Params) (svm.Learner, error) {
			return svm.NewSIMBA(svm.SIMBAConfig{Nu: e.Nu}, e.Linear(), e.Rand(seed.RoleInit))
		},
	},
	{
		Algorithm: spec.Algorithm{ID: "libsvm", Title: "LIBSVM (svm-train)",
			Source: "Cotter 2013, section 2.5; Chang & Lin 2011", Version: 1, Deterministic: true,
			Update:   "svm-train, SMO on the dual",
			StepCost: "not counted",
			Params:   params(paramsProblem, positive(paramViolation), paramCache, paramShrinking)},
		look: plots.Algorithm{Name: "LIBSVM", Style: plots.NewStyle(0x6A1B9A, 1.5, plots.GlyphDisc, 2, 3),
			Clock: "svm-train's own time, from its start to its end",
		},
		bias: withBias, kernel: "gaussian",
		needs:     func(Params) Needs { return Needs{Kernel: true, Lambda: true, Steps: 1} },
		available: func() error { _, err := svm.FindLIBSVM(); return err },
		svm: func(e Env, p Params) (svm.Learner, error) {
			x, train, _ := e.Vectors()
			c := 1 / (e.Lambda * float64(train))
			if p.has("C") {
				c = p.Float("C") // avoids rounding
			}
			options := svmtrain.Options{
				C: c, Gamma: gaussianGamma(p), Epsilon: p.Float("tolerance"),
				CacheMB: p.Float("cache-mb"), Shrinking: p.Bool("shrinking"), Clock: e.Clock,
			}
			return svm.NewLIBSVM(e.Context, options, e.Kernel(), x)
		},
	},
}

// needsLambda returns the needs of kernel methods for the regularised problem with working sets of k.
func needsLambda(k int) func(Params) Needs {
	return func(Params) Needs { return Needs{Kernel: true, Lambda: true, WorkingSet: k} }
}
