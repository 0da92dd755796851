package experiment

import (
	"slices"

	"stochopt/internal/observe"
	"stochopt/internal/record"
)

// Summary says how far an experiment is.
type Summary struct {
	Experiment string `json:"experiment"`
	record.Counts
	// Missing is the number of planned runs without a record.
	Missing int `json:"missing"`
	// StepSeconds and EvalSeconds are summed over the runs.
	StepSeconds float64 `json:"step_seconds"`
	EvalSeconds float64 `json:"eval_seconds"`
	// Series is in the order of the plan, those without a record included, or without a plan in
	// order of first appearance.
	Series []SeriesSummary `json:"series"`
	// Problems lists the runs that did not finish, in record order.
	Problems []Problem `json:"problems"`
	Warnings []string  `json:"warnings"`
	// Damaged is the number of damaged rows and lines.
	Damaged int `json:"damaged"`
}

// SeriesSummary counts the runs of one series on one dataset. Its algorithm is not known before
// there is a record.
type SeriesSummary struct {
	Dataset   string `json:"dataset"`
	Series    string `json:"series"`
	Algorithm string `json:"algorithm"`
	StandIn   bool   `json:"stand_in"`
	record.Counts
	// Missing is the number of its planned runs without a record.
	Missing     int     `json:"missing"`
	StepSeconds float64 `json:"step_seconds"`
	// FinishedSeconds is the time of its finished runs: steps and evaluation.
	FinishedSeconds float64 `json:"finished_seconds"`
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

// Summarise counts the runs of an experiment, as a whole and by dataset and series, and names those
// that did not finish.
func Summarise(e *record.Experiment) Summary {
	s := Summary{
		Experiment: e.Name,
		Series:     []SeriesSummary{},
		Problems:   []Problem{},
		Warnings:   append([]string{}, e.Warnings...),
		Damaged:    e.Damaged,
	}
	for id, done := range e.Plan() {
		if done && (id.Dataset == "" || id.Series == "") {
			continue // called what the record says
		}
		if series := s.Of(id.Dataset, id.Series); !done {
			s.Missing++
			series.Missing++
		}
	}
	for i := range e.Runs {
		r := &e.Runs[i]
		series := s.Of(r.Dataset, r.Series)
		series.Algorithm, series.StandIn = r.Algorithm, r.StandIn
		s.Add(r.Status)
		series.Add(r.Status)
		if step, eval, ok := r.Durations(); ok {
			s.StepSeconds += step
			s.EvalSeconds += eval
			series.StepSeconds += step
			if r.Status == record.StatusFinished {
				series.FinishedSeconds += step + eval
			}
		}
		if r.Status != record.StatusFinished {
			s.Problems = append(s.Problems, Problem{
				Name: r.Name(), Dataset: r.Dataset, Series: r.Series, Params: r.Params.String(),
				Repeat: r.Repeat, Status: r.Status, Reason: r.Reason, Key: r.Key,
			})
		}
	}
	return s
}

// RunSeconds estimates the seconds of a run of a series on a dataset: the mean of its finished
// runs, else of all finished runs, else 0.
func (s *Summary) RunSeconds(dataset, series string) float64 {
	finished, seconds := 0, 0.0
	for _, g := range s.Series {
		if g.Dataset == dataset && g.Series == series && g.Finished > 0 {
			return g.FinishedSeconds / float64(g.Finished)
		}
		finished += g.Finished
		seconds += g.FinishedSeconds
	}
	return seconds / float64(max(finished, 1))
}

// MissingSeconds estimates how long the missing runs take, one after the other.
func (s *Summary) MissingSeconds() (seconds float64) {
	for _, g := range s.Series {
		if g.Missing > 0 {
			seconds += float64(g.Missing) * s.RunSeconds(g.Dataset, g.Series)
		}
	}
	return seconds
}

// MissingRuns counts the planned runs without a record by data set and series.
func MissingRuns(e *record.Experiment) (list []observe.Missing) {
	if len(e.Runs) >= e.Planned {
		return nil
	}
	for _, s := range Summarise(e).Series {
		if s.Missing > 0 {
			list = append(list, observe.Missing{Dataset: s.Dataset, Series: s.Series, Runs: s.Missing})
		}
	}
	return list
}

// Of returns the counts of a series on a data set, which it adds if need be.
func (s *Summary) Of(dataset, series string) *SeriesSummary {
	i := slices.IndexFunc(s.Series, func(g SeriesSummary) bool { return g.Dataset == dataset && g.Series == series })
	if i < 0 {
		i = len(s.Series)
		s.Series = append(s.Series, SeriesSummary{Dataset: dataset, Series: series})
	}
	return &s.Series[i]
}
