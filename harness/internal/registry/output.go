package registry

import "stochopt/algorithms/pca"

// output wraps a learner so that it shows what the parameters "iterate" and
// "unrelax" ask for.
func output(l pca.Learner, env PCAEnv, p Params) (pca.Learner, error) {
	var err error
	switch p.Text("iterate") {
	case "average":
		l, err = pca.NewAveraged(l)
	case "sample":
		l, err = pca.NewSampled(l, env.Output)
	}
	if err == nil && p.Text("unrelax") == "decompose" {
		l, err = pca.NewDecomposed(l, env.Output)
	}
	return l, err
}
