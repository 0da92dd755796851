package experiment

import (
	"slices"

	"stochopt/internal/observe"
	"stochopt/internal/record"
)

// Summary has the numbers of runs of an experiment.
type Summary struct {
	Experiment string `json:"experiment"`
	record.Counts
	// Missing is the number of planned runs without a record.
	Missing int `json:"missing"`
	// StepSeconds and EvalSeconds are summed over the runs.
	StepSeconds float64 `json:"step_seconds"`
	EvalSeconds float64 `json:"eval_seconds"`
	// Series is in the order of the plan or, without a plan, of first appearance. It includes series without records.
	Series []SeriesSummary `json:"series"`
	// Problems lists the runs that did not finish, in record order.
	Problems []Problem `json:"problems"`
	Warnings []string  `json:"warnings"`
	// Damaged is the number of damaged rows and lines.
	Damaged int `json:"damaged"`
}

// SeriesSummary counts the runs of one series on one dataset. Algorithm is "" before there is a record.
type SeriesSummary struct {
	Dataset   string `json:"dataset"`
	Series    string `json:"series"`
	Algorithm string `json:"algorithm"`
	StandIn   bool   `json:"stand_in"`
	record.Counts
	// Missing is the number of its planned runs without a record.
	Missing     int     `json:"missing"`
	StepSeconds float64 `json:"step_seconds"`
	// FinishedSeconds is the time of the steps and evaluations of its finished runs.
	FinishedSeconds float64 `json:"finished_seconds"`
}

// Problem describes a run that did not finish.
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

// Summarise counts the runs of an experiment, in total and by dataset and series, and lists the unfinished runs.
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
			continue // the record has the names
		}
		if series := s.series(id.Dataset, id.Series); !done {
			s.Missing++
			series.Missing++
		}
	}
	for i := range e.Runs {
		r := &e.Runs[i]
		series := s.series(r.Dataset, r.Series)
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

// runSeconds estimates the duration of a run of a series on a dataset. It is the mean duration of its finished runs or,
// without such runs, of all finished runs.
func (s *Summary) runSeconds(dataset, series string) float64 {
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

// MissingSeconds estimates the total duration of the missing runs.
func (s *Summary) MissingSeconds() (seconds float64) {
	for _, g := range s.Series {
		if g.Missing > 0 {
			seconds += float64(g.Missing) * s.runSeconds(g.Dataset, g.Series)
		}
	}
	return seconds
}

// missingRuns counts the planned runs without a record by dataset and series.
func missingRuns(e *record.Experiment) (list []observe.Missing) {
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

// series returns the summary of a series on a dataset. It adds an empty one if necessary.
func (s *Summary) series(dataset, series string) *SeriesSummary {
	i := slices.IndexFunc(s.Series, func(g SeriesSummary) bool { return g.Dataset == dataset && g.Series == series })
	if i < 0 {
		i = len(s.Series)
		s.Series = append(s.Series, SeriesSummary{Dataset: dataset, Series: series})
	}
	return &s.Series[i]
}
