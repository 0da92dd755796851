package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
)

// snapshot is all readable content of a folder.
type snapshot struct {
	runs, timings map[ref]string
	plan          []ID
	optima        map[string][]byte
	meta          map[string]string
}

// snapshotOf reads all of a folder and returns the damage that it finds.
func snapshotOf(dir string) (s snapshot, damage []string) {
	e, err := ReadDir(dir)
	if err != nil {
		return s, []string{err.Error()}
	}
	defer e.Close()
	damage = slices.Clone(e.Warnings)
	s = snapshot{runs: map[ref]string{}, timings: map[ref]string{}, optima: e.Optima, meta: e.Meta, plan: e.plan}
	for _, r := range e.records.runs {
		if err := s.read(r); err != nil {
			damage = append(damage, err.Error())
		}
	}
	found, err := e.Check()
	if damage = append(damage, found...); err != nil {
		damage = append(damage, err.Error())
	}
	return s, damage
}

func (s *snapshot) read(r Run) error {
	line, err := EncodeRun(r)
	if err != nil {
		return err
	}
	timing, ok := r.Timing()
	if !ok {
		return fmt.Errorf("%s has no timing", r.Name())
	}
	text, err := json.Marshal(timing)
	if step, eval, ok := r.Durations(); !ok || step != timing.StepSeconds || eval != timing.EvalSeconds {
		return fmt.Errorf("%s has spent %v and %v, its timing is %s", r.Name(), step, eval, text)
	}
	s.runs[r.ref()], s.timings[r.ref()] = string(line), string(text)
	return err
}

// richFolder writes a folder whose database has every kind of content, and parts and free pages.
func richFolder(t *testing.T, dir string) {
	t.Helper()
	s := open(t, dir, Options{})
	for i := range 2 { // the smaller second run leaves free pages
		r := limited(StatusOutOfTime, &Limit{Seconds: float64(1 + i)})
		r.Key = testRun(100).Key
		r.Curve.Vectors = map[string][]float64{"v": make([]float64, 20000*(1-i))}
		add(t, s, r)
		closeStore(t, s)
		s = open(t, dir, Options{})
	}
	last := testRun(100)
	runs := append(edgeRuns(), last)
	large := testRun(99)
	large.Curve.Vectors = map[string][]float64{"large": make([]float64, 5000)}
	for i := range large.Curve.Vectors["large"] {
		large.Curve.Vectors["large"][i] = 1 / float64(i+1)
	}
	runs = append(runs, large)
	add(t, s, runs...)
	must(t, errors.Join(s.SetPlan(idsOf(runs[2:])), s.AddOptimum(Optimum{"o", []byte(`{"value":0.1}`)}), s.SetMeta("spec", "name: x\n"), s.Close()))
	part := open(t, dir, Options{Part: "1of1"})
	add(t, part, testRuns(60)[50:55]...)
	record(t, dir, Options{})
	add(t, part, testRuns(60)[55:]...)
	closeStore(t, part)
}

// checkFlip changes one byte of a database. The damage must be detected unless all readable content is
// unchanged. The repaired folder must contain only original records and warn about lost ones.
func checkFlip(t *testing.T, dir string, whole []byte, want snapshot, at int, mask byte) (detected bool) {
	t.Helper()
	name := fmt.Sprintf("byte %d, bits %08b", at, mask)
	flipped := bytes.Clone(whole)
	flipped[at] ^= mask
	writeFile(t, dir, DatabaseFile, string(flipped))
	got, damage := snapshotOf(dir)
	detected = len(damage) > 0
	if !detected && !reflect.DeepEqual(got, want) {
		t.Errorf("%s: the damage is not detected, and the content differs", name)
	}
	aside := DatabaseFile + ".damaged-1"
	defer func() {
		for _, file := range []string{DatabaseFile, aside} {
			os.Remove(filepath.Join(dir, file))
		}
	}()
	s, err := Open(dir, Options{})
	var schema *SchemaError
	if errors.As(err, &schema) && detected {
		return detected
	}
	if err != nil {
		t.Errorf("%s: the folder cannot be repaired: %v", name, err)
		return detected
	}
	warnings := s.Warnings()
	closeStore(t, s)
	text, err := os.ReadFile(filepath.Join(dir, aside))
	kept := err == nil && string(text) == string(flipped)
	got, left := snapshotOf(dir)
	// Open does not run the complete check. Damage that only this check finds must not lose runs.
	if detected && !kept && len(got.runs) < len(want.runs) {
		t.Errorf("%s: the damaged database was not kept; found %q", name, damage)
	}
	if kept && len(got.runs) > 0 && len(left) > 0 {
		t.Errorf("%s: the repaired folder is damaged: %q", name, left)
	}
	for id, text := range got.runs {
		if text != want.runs[id] || got.timings[id] != want.timings[id] {
			t.Errorf("%s: run %v differs after the repair", name, id)
		}
	}
	for id, data := range got.optima {
		if !bytes.Equal(data, want.optima[id]) {
			t.Errorf("%s: the optimum %q is %s after the repair", name, id, data)
		}
	}
	if len(got.runs) < len(want.runs) && len(warnings) == 0 {
		t.Errorf("%s: %d runs are lost without a warning", name, len(want.runs)-len(got.runs))
	}
	return detected
}

// A flipped bit is detected unless it is in an unused place. The test flips bits in the file header, in
// page headers of each kind and in page contents.
func TestFlippedBits(t *testing.T) {
	long(t)
	t.Parallel()
	source, dir := t.TempDir(), t.TempDir()
	richFolder(t, source)
	must(t, os.CopyFS(dir, os.DirFS(source)))
	want, damage := snapshotOf(dir)
	if len(damage) > 0 || len(want.runs) != len(edgeRuns())+2+10 || len(want.optima) != 1 || want.meta["spec"] == "" || len(want.plan) == 0 {
		t.Fatalf("the folder has %d runs, damage %q", len(want.runs), damage)
	}
	const page = 4096
	whole := []byte(readFile(t, dir, DatabaseFile))
	rng := rand.New(rand.NewPCG(29, 2))
	positions := []int{0, 17, 24, 28, 34, 44, 60, 100, 104}
	kinds := map[byte]int{}
	for at := page; at < len(whole); at += page {
		if kinds[whole[at]]++; kinds[whole[at]] < 3 {
			positions = append(positions, at, at+1+rng.IntN(7))
		}
		if at/page%4 == 0 {
			positions = append(positions, at+8+rng.IntN(page-8))
		}
	}
	detected := 0
	for _, at := range positions {
		if checkFlip(t, dir, whole, want, at, 1<<rng.IntN(8)) {
			detected++
		}
	}
	if detected < len(positions)/4 || len(kinds) < 3 {
		t.Errorf("only %d of %d flipped bits were detected, in pages of %d kinds", detected, len(positions), len(kinds))
	}
}

// A damaged or missing row in any table is detected, and the repaired folder has the other runs.
func TestDamagedRows(t *testing.T) {
	t.Parallel()
	source := t.TempDir()
	s := open(t, source, Options{})
	add(t, s, testRuns(5)...)
	must(t, errors.Join(s.SetPlan(planOf(0, 1, 2, 3, 4)), s.AddOptimum(Optimum{"o", []byte("1")}), s.SetMeta("spec", "x"), s.Close()))
	for statement, lost := range map[string]int{
		"UPDATE meta SET value = value || '1'":                                0,
		"UPDATE optimum SET crc = crc + 1":                                    0,
		"UPDATE plan SET series = series || 'x'":                              0,
		"UPDATE run SET record = replace(record, 'pca', 'pcb') WHERE id = 3":  1,
		"UPDATE curve SET data = replace(data, '16', '17') WHERE run = 3":     1,
		"UPDATE times SET data = replace(data, '2013', '2014') WHERE run = 3": 1,
		"DELETE FROM curve WHERE run = 3":                                     1,
		"DELETE FROM run WHERE id = 3":                                        1,
	} {
		dir := t.TempDir()
		must(t, os.CopyFS(dir, os.DirFS(source)))
		spoil(t, dir, statement)
		if _, damage := snapshotOf(dir); len(damage) == 0 {
			t.Errorf("%s: the damage was not detected", statement)
		}
		s := open(t, dir, Options{})
		if missing := addMissing(t, s, testRuns(5)); missing != lost || len(s.Warnings()) == 0 {
			t.Errorf("%s: %d runs are lost, want %d; warnings %q", statement, missing, lost, s.Warnings())
		}
		closeStore(t, s)
		if _, damage := snapshotOf(dir); len(damage) > 0 {
			t.Errorf("%s: the repaired folder is damaged: %q", statement, damage)
		}
	}
}

// A repair does not change the damaged database. Processes that read it at the same time must not read
// the new database in its place.
func TestRepairOfManyRuns(t *testing.T) {
	long(t)
	t.Parallel()
	dir := t.TempDir()
	const runs = 1200
	record(t, dir, Options{}, testRuns(runs)...)
	spoil(t, dir, "UPDATE times SET crc = crc + 1 WHERE run = 7")
	before := readFile(t, dir, DatabaseFile)
	reader := readDir(t, dir)
	s := open(t, dir, Options{})
	if n := len(s.records.runs); n != runs-1 {
		t.Errorf("%d runs are left of %d", n, runs)
	}
	for i := range reader.Runs {
		snap := snapshot{runs: map[ref]string{}, timings: map[ref]string{}}
		if err := snap.read(reader.Runs[i]); err == nil {
			t.Fatal("a reader read from the database that replaced its own")
		}
	}
	add(t, s, testRun(6))
	closeStore(t, s)
	if readFile(t, dir, DatabaseFile+".damaged-1") != before {
		t.Error("the damaged database was changed")
	}
	if n, err := readAll(readDir(t, dir)); n != runs || err != nil {
		t.Errorf("%d runs, %v", n, err)
	}
}
