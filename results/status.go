package results

// Counts is a number of runs by status.
type Counts struct {
	Runs     int `json:"runs"`
	Finished int `json:"finished"`
	Diverged int `json:"diverged"`
	Failed   int `json:"failed"`
	Skipped  int `json:"skipped"`
}

func (c *Counts) add(status string) {
	c.Runs++
	switch status {
	case StatusFinished:
		c.Finished++
	case StatusDiverged:
		c.Diverged++
	case StatusFailed:
		c.Failed++
	case StatusSkipped:
		c.Skipped++
	}
}

// Summary says how far an experiment is.
type Summary struct {
	Experiment string `json:"experiment"`
	Counts
	// Journaled is the number of runs that are not compacted yet.
	Journaled int `json:"journaled"`
	// StandIn is the number of runs on made-up data.
	StandIn int `json:"stand_in"`
	// StepSeconds and EvalSeconds are summed over the runs.
	StepSeconds float64 `json:"step_seconds"`
	EvalSeconds float64 `json:"eval_seconds"`
	// Series is in order of first appearance.
	Series []SeriesSummary `json:"series"`
	// Problems lists the diverged, failed and skipped runs, in record order.
	Problems []Problem `json:"problems"`
	Warnings []string  `json:"warnings"`
}

// SeriesSummary counts the runs of one series on one dataset.
type SeriesSummary struct {
	Dataset   string `json:"dataset"`
	Series    string `json:"series"`
	Algorithm string `json:"algorithm"`
	StandIn   bool   `json:"stand_in"`
	Counts
	StepSeconds float64 `json:"step_seconds"`
}

// Problem names a run that did not finish, and the reason.
type Problem struct {
	Name    string `json:"name"`
	Dataset string `json:"dataset"`
	Series  string `json:"series"`
	Params  string `json:"params"`
	Repeat  int    `json:"repeat"`
	Status  string `json:"status"`
	Reason  string `json:"reason"`
	Key     string `json:"key"`
}

// Summarise counts the runs of an experiment, as a whole and by dataset and
// series, and names those that did not finish.
func Summarise(e *Experiment) Summary {
	s := Summary{
		Experiment: e.Name,
		Journaled:  e.Journaled,
		Series:     []SeriesSummary{},
		Problems:   []Problem{},
		Warnings:   append([]string{}, e.Warnings...),
	}
	type group struct{ dataset, series, algorithm string }
	at := map[group]int{}
	for _, r := range e.Runs {
		g := group{r.Dataset, r.Series, r.Algorithm}
		i, ok := at[g]
		if !ok {
			i = len(s.Series)
			at[g] = i
			s.Series = append(s.Series, SeriesSummary{Dataset: r.Dataset, Series: r.Series, Algorithm: r.Algorithm, StandIn: r.StandIn})
		}
		s.add(r.Status)
		s.Series[i].add(r.Status)
		if r.StandIn {
			s.StandIn++
		}
		if t, ok := e.Timing(r); ok {
			s.StepSeconds += t.StepSeconds
			s.EvalSeconds += t.EvalSeconds
			s.Series[i].StepSeconds += t.StepSeconds
		}
		if r.Status != StatusFinished {
			s.Problems = append(s.Problems, Problem{
				Name: r.Name(), Dataset: r.Dataset, Series: r.Series, Params: r.Params.String(),
				Repeat: r.Repeat, Status: r.Status, Reason: r.Reason, Key: r.Key,
			})
		}
	}
	return s
}
