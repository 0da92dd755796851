package verify

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"

	"stochopt/harness/internal/objective"
	"stochopt/harness/internal/plan"
	"stochopt/harness/internal/run"
	"stochopt/internal/record"
	"stochopt/results/words"
)

// rerun runs a sample of the records again in a scratch folder, with the optima that they
// are measured against, and compares both.
func (v *verification) rerun(ctx context.Context) error {
	var items []*plan.Item
	skipped, external := 0, 0
	for _, it := range v.plan.Items {
		r, ok := v.onRecord[it]
		switch {
		case !ok:
		case r.Status == record.StatusSkipped:
			skipped++
		case it.Algorithm.Program != nil && !v.opt.Run.External:
			external++
		default:
			items = append(items, it)
		}
	}
	if skipped > 0 {
		v.remark(checkRerun, remarkUnchecked, "skipped by the run and so not compared: %s",
			words.Count(skipped, "run"))
	}
	if external > 0 {
		v.remark(checkRerun, remarkUnchecked, "made by programs of external algorithms and so not verified; --external allow starts them: %s",
			words.Count(external, "run"))
	}
	drawn := draw(items, v.opt.Runs, v.opt.All, v.opt.Seed)
	v.Sample = newSample(len(drawn), len(items), v.opt.Seed)
	c := v.check(checkRerun)
	c.Checked, c.Of = len(drawn), len(items)
	if len(drawn) == 0 {
		return nil
	}
	limited := make([]*plan.Item, len(drawn))
	for i, it := range drawn {
		// The limit is that which the run met: the spec may have lowered it since.
		limited[i] = it.Within(*cmp.Or(v.onRecord[it].Limit, &record.Limit{}))
	}
	dir := filepath.Join(v.scratch, "runs")
	again, err := v.replay(ctx, dir, &plan.Plan{Spec: v.spec, Problems: v.plan.Problems, Items: limited})
	if err != nil {
		return err
	}
	drawnAnew := 0
	for i, it := range drawn {
		r := v.onRecord[it]
		where, err := difference(r, again[i])
		if err != nil {
			return err
		}
		switch {
		case where == "":
		case r.External != nil && !r.External.Deterministic:
			drawnAnew++
		default:
			if r.External != nil {
				where += "; its program says that it is deterministic"
			}
			v.find(checkRerun, Differs, Finding{File: record.RunsFile, Run: r.Name(), Key: r.Key, Text: "re-run, " + where})
		}
	}
	if drawnAnew > 0 {
		v.remark(checkRerun, remarkUnchecked, "came out otherwise, of programs that do not say that they are deterministic: %s",
			words.Count(drawnAnew, "run"))
	}
	return v.solvedAgain(filepath.Join(dir, record.ReferencesFile))
}

// replay runs the items of a plan in a folder of their own and returns their records in
// the order of the items.
func (v *verification) replay(ctx context.Context, dir string, p *plan.Plan) ([]record.Run, error) {
	store, err := record.Open(dir, record.Options{})
	if err != nil {
		return nil, err
	}
	defer store.Close()
	opt := v.opt.Run
	opt.Dir = dir
	if opt.Memory, opt.Data, err = v.opt.Memory(p); err != nil {
		return nil, err
	}
	if _, err := run.Execute(ctx, p, store, opt); err != nil {
		return nil, err
	}
	again := store.Runs(p.IDs())
	if len(again) != len(p.Items) {
		return nil, fmt.Errorf("making %d records again gave %d", len(p.Items), len(again))
	}
	return again, nil
}

// difference says how a record differs from that of the same run made again, "" if it does
// not. How far a run gets that is out of time depends on the machine, so of such runs only
// the points that both have are compared.
func difference(want, got record.Run) (string, error) {
	limited := want.Status == record.StatusOutOfTime || got.Status == record.StatusOutOfTime
	if limited && want.Completed() && got.Completed() {
		n := min(want.Points(), got.Points())
		want, got = beginning(want, n), beginning(got, n)
	}
	a, err := record.Content(want)
	if err != nil {
		return "", err
	}
	b, err := record.Content(got)
	if err != nil || bytes.Equal(a, b) {
		return "", err
	}
	return first(a, b), nil
}

// beginning returns the record of the first n points of a run, as one that ran out of
// time.
func beginning(r record.Run, n int) record.Run {
	points := make([]int, n)
	for i := range points {
		points[i] = i
	}
	r.Status, r.Reason, r.Limit = record.StatusOutOfTime, "cut short", nil
	r = r.With(r.Measured().Points(points))
	return r
}

// most is how much of a value is shown.
const most = 40

// first says where two JSON texts differ first, in the order of the names of their members.
func first(was, is []byte) string {
	path, x, y := deviation("", decoded(was), decoded(is))
	return fmt.Sprintf("%s is %s; the record has %s", path, short(y), short(x))
}

// decoded keeps numbers as they are written.
func decoded(text []byte) (v any) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		return string(text)
	}
	return v
}

func short(v any) string {
	if v == nil {
		return "not there"
	}
	text, _ := json.Marshal(v)
	if len(text) > most {
		return string(text[:most]) + "…"
	}
	return string(text)
}

// deviation descends to the first place where two values differ, "" if there is none.
func deviation(path string, a, b any) (string, any, any) {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok {
			return path, a, b
		}
		for _, name := range names(x, y) {
			if at, u, w := deviation(path+"."+name, x[name], y[name]); at != "" {
				return trimmed(at), u, w
			}
		}
		return "", nil, nil
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			return path, a, b
		}
		for i := range x {
			if at, u, w := deviation(fmt.Sprintf("%s[%d]", path, i), x[i], y[i]); at != "" {
				return at, u, w
			}
		}
		return "", nil, nil
	}
	if a == b {
		return "", nil, nil
	}
	return path, a, b
}

func trimmed(path string) string {
	if path[0] == '.' {
		return path[1:]
	}
	return path
}

func names(a, b map[string]any) []string {
	var all []string
	for name := range a {
		all = append(all, name)
	}
	for name := range b {
		if _, ok := a[name]; !ok {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}

// solvedAgain compares the optima on record with those that making records again solved.
func (v *verification) solvedAgain(path string) error {
	again, _, err := objective.ReadReferenceLines(path)
	if err != nil || v.folder.Packed() { // the records tell of them
		return err
	}
	stored := make(map[string]objective.ReferenceLine)
	for _, l := range v.stored {
		stored[l.ID] = l
	}
	c := v.check(checkSolved)
	c.Of = len(v.stored)
	for _, l := range again {
		old, ok := stored[l.ID]
		if !ok {
			at := Finding{File: record.ReferencesFile}
			v.findf(checkSolved, Missing, at, "there is no optimum of %s, which the re-run needed", l.Of)
			continue
		}
		v.check(checkSolved).Checked++
		if where := old.Difference(l); where != "" {
			at := Finding{File: record.ReferencesFile, Line: old.Number}
			v.findf(checkSolved, Differs, at, "solving the optimum of %s again gives another result: %s", l.Of, where)
		}
	}
	return nil
}
