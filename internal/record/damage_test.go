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
	"strings"
	"testing"
)

// snapshot is all that can be read of a folder.
type snapshot struct {
	runs, timings map[ref]string
	plan          []ID
	optima        map[string][]byte
	meta          map[string]string
}

// snapshotOf reads all of a folder, and says what it finds damaged.
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
	if step, eval, ok := r.Spent(); !ok || step != timing.StepSeconds || eval != timing.EvalSeconds {
		return fmt.Errorf("%s has spent %v and %v, its timing is %s", r.Name(), step, eval, text)
	}
	s.runs[r.ref()], s.timings[r.ref()] = string(line), string(text)
	return err
}

// richFolder writes a folder with all that a database can have, parts and free pages included.
func richFolder(t *testing.T, dir string) {
	t.Helper()
	s := open(t, dir, Options{})
	for i := range 40 { // which leaves free pages
		r := limitedRun(100, StatusOutOfTime, "limit")
		r.Limit = &Limit{Seconds: float64(1 + i)}
		r.Curve.Vectors = map[string][]float64{"v": make([]float64, 2000*(i%2))}
		add(t, s, r)
		if i%20 == 19 {
			closeStore(t, s)
			s = open(t, dir, Options{})
		}
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

// checkFlip changes one byte of a database. The damage has to be detected, or nothing of what can be
// read may differ. Repaired, the folder has only what it had, and says what it lacks.
func checkFlip(t *testing.T, dir string, whole []byte, want snapshot, at int, mask byte, repair bool) (detected bool) {
	t.Helper()
	name := fmt.Sprintf("byte %d, bits %08b", at, mask)
	flipped := bytes.Clone(whole)
	flipped[at] ^= mask
	writeFile(t, dir, DatabaseFile, string(flipped))
	got, damage := snapshotOf(dir)
	detected = len(damage) > 0
	if !detected && !reflect.DeepEqual(got, want) {
		t.Errorf("%s: the damage is not detected, and what is read differs", name)
	}
	for id, text := range got.runs {
		if !detected && (text != want.runs[id] || got.timings[id] != want.timings[id]) {
			t.Errorf("%s: run %v differs", name, id)
		}
	}
	if !repair {
		return detected
	}
	defer func() {
		for _, file := range filesOf(t, dir) {
			if strings.HasPrefix(file, DatabaseFile) {
				os.Remove(filepath.Join(dir, file))
			}
		}
	}()
	s, err := Open(dir, Options{})
	var schema *SchemaError
	if errors.As(err, &schema) {
		if !detected {
			t.Errorf("%s: %v", name, err)
		}
		return detected
	}
	if err != nil {
		t.Errorf("%s: the folder cannot be repaired: %v", name, err)
		return detected
	}
	warnings := s.Warnings()
	closeStore(t, s)
	if detected {
		if aside := DatabaseFile + ".damaged-1"; !slices.Contains(filesOf(t, dir), aside) || readFile(t, dir, aside) != string(flipped) {
			t.Errorf("%s: the damaged database is not kept as it was: %q, found %q", name, filesOf(t, dir), damage)
		}
		wantWarning(t, warnings, DatabaseFile+" is damaged and kept as "+DatabaseFile+".damaged-1")
	}
	got, damage = snapshotOf(dir)
	damage = slices.DeleteFunc(damage, func(text string) bool { return strings.Contains(text, "no records yet") })
	if len(damage) > 0 {
		t.Errorf("%s: repaired, it is damaged: %q", name, damage)
	}
	for id, text := range got.runs {
		if text != want.runs[id] || got.timings[id] != want.timings[id] {
			t.Errorf("%s: repaired, run %v differs", name, id)
		}
	}
	for id, data := range got.optima {
		if !bytes.Equal(data, want.optima[id]) {
			t.Errorf("%s: repaired, the optimum %q is %s", name, id, data)
		}
	}
	if len(got.runs) < len(want.runs) && len(warnings) == 0 {
		t.Errorf("%s: %d runs are lost without a warning", name, len(want.runs)-len(got.runs))
	}
	return detected
}

// A flipped bit anywhere in a database is detected, or is in a place that holds nothing.
func TestFlippedBits(t *testing.T) {
	t.Parallel()
	flips := 60
	if !testing.Short() {
		flips = 600
	}
	source, dir := t.TempDir(), t.TempDir()
	richFolder(t, source)
	must(t, os.CopyFS(dir, os.DirFS(source)))
	want, damage := snapshotOf(dir)
	if len(damage) > 0 || len(want.runs) != len(edgeRuns())+2+10 || len(want.optima) != 1 || want.meta["spec"] == "" || len(want.plan) == 0 {
		t.Fatalf("the folder has %d runs, damage %q", len(want.runs), damage)
	}
	whole := []byte(readFile(t, dir, DatabaseFile))
	rng := rand.New(rand.NewPCG(29, 2))
	detected := 0
	for range flips {
		if checkFlip(t, dir, whole, want, rng.IntN(len(whole)), 1<<rng.IntN(8), true) {
			detected++
		}
	}
	t.Logf("of %d flipped bits in %d bytes %d were detected; the others change nothing", flips, len(whole), detected)
	if detected < flips/4 {
		t.Errorf("only %d of %d flipped bits were detected", detected, flips)
	}
}

// While a database is repaired, the damaged one is read and others may be reading it. It stays as it
// is, and nothing of the new one is taken for a part of it.
func TestRepairOfManyRuns(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const runs = 2500
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
			t.Fatal("a reader reads from a database that has taken the place of its own")
		} else if i == 0 {
			wantError(t, err, DatabaseFile, "repeat the command")
		}
	}
	add(t, s, testRun(6))
	closeStore(t, s)
	if readFile(t, dir, DatabaseFile+".damaged-1") != before {
		t.Error("the damaged database was changed")
	}
	if n, err := readAll(readDir(t, dir)); n != runs || err != nil {
		t.Errorf("there are %d runs, %v", n, err)
	}
}
