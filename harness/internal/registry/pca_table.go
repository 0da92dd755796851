package registry

import (
	"stochopt/algorithms/pca"
	"stochopt/harness/internal/seed"
	"stochopt/harness/internal/spec"
	"stochopt/plots"
)

// pcaTable lists the PCA algorithms in the order of the thesis.
var pcaTable = []Algorithm{
	{
		Algorithm: spec.Algorithm{ID: "saa", Title: "Sample average approximation", Version: 1,
			Source:   "Cotter 2013, section 4.3",
			Update:   "U = the k leading eigenvectors of (1/t) Σ x xᵀ",
			StepCost: "d in Σk′²; O(d²)",
			Params:   params(paramK)},
		look:   plots.Algorithm{Name: "SAA", Style: plots.NewStyle(0x000000, 1.2, plots.GlyphDisc)},
		memory: saaMemory,
		pca: func(e Env, p Params) (pca.Learner, error) {
			return pca.NewSAA(pca.SAAConfig{K: p.Int("k")}, e.Source)
		},
	},
	{
		Algorithm: spec.Algorithm{ID: "power", Title: "Stochastic power method (Oja)", Version: 1,
			Source:   "Cotter 2013, section 4.4",
			Update:   "U ← P_orth(U + η_t x xᵀU)",
			StepCost: "k² in Σk′²; O(k d)",
			Params:   params(paramK, stepParams)},
		look: plots.Algorithm{Name: "Power (Oja)", Style: plots.NewStyle(0x56B4E9, 1.5, plots.GlyphPlus, 5, 3, 2, 3, 2, 3)},
		pca: func(e Env, p Params) (pca.Learner, error) {
			return pca.NewPower(pca.PowerConfig{K: p.Int("k"), Step: e.Step}, e.Source, e.Rand(seed.RoleInit))
		},
	},
	{
		Algorithm: spec.Algorithm{ID: "gha", Title: "Generalised Hebbian algorithm (Sanger)",
			Source: "Cotter 2013, section 4.4", Version: 1,
			Update:   "U ← U + η_t (x yᵀ − U UT[y yᵀ]), y = Uᵀx, UT the upper triangle",
			StepCost: "k² in Σk′²; O(k d)",
			Params:   params(paramK, stepParams)},
		look: plots.Algorithm{Name: "GHA", Style: plots.NewStyle(0x9A8700, 1.5, plots.GlyphCross, 2.5, 1.5)},
		pca: func(e Env, p Params) (pca.Learner, error) {
			return pca.NewGHA(pca.GHAConfig{K: p.Int("k"), Step: e.Step}, e.Source, e.Rand(seed.RoleInit))
		},
	},
	{
		Algorithm: spec.Algorithm{ID: "incremental", Title: "Incremental algorithm", Version: 2,
			Source:   "Cotter 2013, section 4.5",
			Update:   "t C_t = P_k((t−1) C_{t−1} + x xᵀ), P_k keeps the k largest eigenvalues",
			StepCost: "k′² in Σk′²; O(k d + k³), and occasionally O(k² d)",
			Params:   params(paramK, paramDirections, paramTies)},
		look: plots.Algorithm{Name: "Incremental", Style: plots.NewStyle(0x009E73, 1.6, plots.GlyphTriangle, 7, 3, 2, 3)},
		pca: func(e Env, p Params) (pca.Learner, error) {
			return pca.NewIncremental(pca.IncrementalConfig{K: p.Int("k"), Cap: p.Int("cap"), KeepNewest: p.Text("ties") == "new"}, e.Source)
		},
	},
	{
		Algorithm: spec.Algorithm{ID: "warmuth-kuzmin", Title: "Warmuth & Kuzmin's algorithm",
			Source: "Cotter 2013, chapter 5", Version: 2,
			Update:   "ln W ← ln W − η_t x xᵀ, then scaled and capped at 1/(d − k); M = I − (d − k) W",
			StepCost: "k′² in Σk′²; O(k′ d + k′³), and occasionally O(k′² d)",
			Params:   params(paramK, theoryParams, withDefault(paramStart, "uniform", "uniform", "random-low-rank"), paramForm, paramIterate, paramUnrelax)},
		look: plots.Algorithm{Name: "Warmuth & Kuzmin", Style: plots.NewStyle(0xCC79A7, 1.6, plots.GlyphSquare, 10, 2.5),
			Rank: "Uncapped eigenvalues k′ₜ",
		},
		theory: pca.WarmuthKuzminTheoryStep,
		pca: func(e Env, p Params) (pca.Learner, error) {
			cfg := pca.WarmuthKuzminConfig{K: p.Int("k"), Step: e.Step, Start: pca.Start(p.Text("start"))}
			if p.Text("form") == "naive" {
				return pca.NewWarmuthKuzminNaive(cfg, e.Source, e.Rand(seed.RoleInit))
			}
			return pca.NewWarmuthKuzmin(cfg, e.Source, e.Rand(seed.RoleInit))
		},
	},
	{
		Algorithm: spec.Algorithm{ID: "msg", Title: "Matrix stochastic gradient", Version: 2,
			Source:   "Cotter 2013, section 6.2",
			Update:   "M ← P(M + η_t x xᵀ), P the projection onto 0 ≤ M ≤ I, tr M = k",
			StepCost: "k′² in Σk′²; O(k′ d + k′³), and occasionally O(k′² d)",
			Params:   params(paramK, theoryParams, withDefault(paramStart, "random-low-rank", "random-low-rank", "random-subspace", "uniform", "zero"), paramIterate, paramUnrelax)},
		look:   plots.Algorithm{Name: "MSG", Style: plots.NewStyle(0x0072B2, 1.6, plots.GlyphDisc)},
		theory: msgTheory,
		pca: func(e Env, p Params) (pca.Learner, error) {
			cfg := pca.MSGConfig{K: p.Int("k"), Step: e.Step, Start: pca.Start(p.Text("start"))}
			return pca.NewMSG(cfg, e.Source, e.Rand(seed.RoleInit))
		},
	},
	{
		Algorithm: spec.Algorithm{ID: "capped-msg", Title: "Capped MSG", Version: 2,
			Source:   "Cotter 2013, section 6.3",
			Update:   "as msg, with rank M ≤ K",
			StepCost: "k′² in Σk′²; O(K d + K³), and occasionally O(K² d)",
			Params:   params(paramK, paramCap, theoryParams, paramCappedStart, paramRaise, paramIterate, paramUnrelax)},
		look:   plots.Algorithm{Name: "Capped MSG", Style: plots.NewStyle(0xD55E00, 1.6, plots.GlyphBox, 5, 2)},
		fill:   resolveCapped,
		theory: msgTheory,
		pca: func(e Env, p Params) (pca.Learner, error) {
			cfg := pca.CappedMSGConfig{
				K: p.Int("k"), Cap: p.Int("cap"), Step: e.Step, Start: pca.Start(p.Text("start")),
				RaiseWhenStuck: int64(p.Int("raise-when-stuck")),
			}
			return pca.NewCappedMSG(cfg, e.Source, e.Rand(seed.RoleInit))
		},
	},
	{
		Algorithm: spec.Algorithm{ID: "grouse", Title: "Grassmannian SGD (GROUSE, full information)",
			Source: "Cotter 2013, section 6.4; Balzano, Nowak & Recht 2010", Version: 1,
			Update:   "U ← U + ((cos θ − 1) p/‖p‖ + sin θ r/‖r‖) wᵀ/‖w‖, w = Uᵀx, p = U w, r = x − p, θ = η_t ‖r‖ ‖p‖",
			StepCost: "k² in Σk′²; O(k d)",
			Params:   params(paramK, stepParams)},
		look: plots.Algorithm{Name: "GROUSE", Style: plots.NewStyle(0xE69F00, 1.6, plots.GlyphPyramid, 1.4, 1.6)},
		pca: func(e Env, p Params) (pca.Learner, error) {
			return pca.NewGROUSE(pca.GROUSEConfig{K: p.Int("k"), Step: e.Step}, e.Source, e.Rand(seed.RoleInit))
		},
	},
}
