package suite

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"

	"stochopt/algorithms/checkpoint"
)

// Streams are the random generators that one learner is given, by their numbers: those of
// NewRand.
type Streams map[uint64]*rand.PCG

// Rand returns a generator at its beginning.
func (s Streams) Rand(stream uint64) *rand.Rand {
	s[stream] = rand.NewPCG(20130719, stream)
	return rand.New(s[stream])
}

// position returns where the generators are.
func (s Streams) position() map[uint64]rand.PCG {
	at := make(map[uint64]rand.PCG)
	for stream, source := range s {
		at[stream] = *source
	}
	return at
}

// moveTo moves the generators.
func (s Streams) moveTo(at map[uint64]rand.PCG) {
	for stream, source := range s {
		*source = at[stream]
	}
}

// Resumable checks that a learner which is saved at random iterations, and restored into a
// new one, goes on to the same bits: that it writes the same results and says the same at
// every step. All that fresh draws at random is to come from the streams. But for the fields
// named as scratch, "Type.field" or all of a "Type", a restored learner is the one that was saved.
func (k Result[L, R]) Resumable(t Reporter, fresh func(s Streams) L, steps int, says func(l L) any, scratch ...string) {
	t.Helper()
	var want []*R
	var said []any
	whole := fresh(Streams{})
	for {
		want, said = append(want, k.Of(whole)), append(said, says(whole))
		if len(want) > steps {
			break
		}
		if status := whole.Step(); status.Stop() {
			break
		}
	}
	last := len(want) - 1
	cuts := []int{0, min(1, last), last}
	rng := NewRand(99)
	for range 5 {
		cuts = append(cuts, rng.IntN(last+1))
	}
	slices.Sort(cuts)
	own := Streams{}
	l := fresh(own)
	done := 0
	for _, cut := range slices.Compact(cuts) {
		for ; done < cut; done++ {
			l.Step()
		}
		saved := Save(t, l)
		streams := Streams{}
		restored := fresh(streams)
		if err := Load(restored, saved); err != nil {
			t.Fatalf("loading: %v", err)
		}
		streams.moveTo(own.position())
		if again := Save(t, restored); !bytes.Equal(again, saved) {
			t.Fatalf("saved after %d steps and restored: what is saved then is not the same", cut)
		}
		if d := differences(l, restored, scratch); len(d) > 0 {
			t.Fatalf("saved after %d steps and restored: these are not as they were: %s", cut, strings.Join(d, ", "))
		}
		for at := cut; ; at++ {
			if got := k.Of(restored); !k.Same(got, want[at]) || says(restored) != said[at] {
				t.Fatalf("saved after %d steps and restored: not the same bits after %d steps: %+v, want %+v", cut, at, says(restored), said[at])
			}
			if at == last {
				break
			}
			restored.Step()
		}
		checkDamaged(t, func() any { return fresh(Streams{}) }, saved)
	}
	for ; done < last; done++ {
		l.Step()
	}
	if got := k.Of(l); !k.Same(got, want[last]) || says(l) != said[last] {
		t.Errorf("a run that is saved on the way is not the same")
	}
}

// SVMScratch names the fields of the learners of package svm that are written before they
// are read, and Finite.good, which is found out again.
var SVMScratch = []string{
	"Finite.good", "basin.low", "basin.storage", "basin.bound", "SBP.work", "topList", "Decomposition.working", "workingSetQP",
	"band.storage", "band.heights", "band.high", "band.below", "band.sum", "band.level", "band.under", "band.touching",
	"SIMBA.scratch", "SIMBA.slack",
}

// checkDamaged checks that a state that is cut short, or has bits that are flipped, is
// refused or taken, but no more.
func checkDamaged(t Reporter, fresh func() any, saved []byte) {
	t.Helper()
	try := func(what string, data []byte, refused bool) {
		if Load(fresh(), data) == nil && refused {
			t.Errorf("a state that %s is taken", what)
		}
	}
	rng := NewRand(98)
	try("is cut short", saved[:rng.IntN(len(saved))], true)
	try("goes on", append(slices.Clone(saved), 0), true)
	for range 3 {
		flipped := slices.Clone(saved)
		flipped[rng.IntN(len(flipped))] ^= 1 << rng.IntN(8)
		try("is damaged", flipped, false)
	}
}

// Save returns the state of a checkpoint.Saver.
func Save(t Reporter, x any) []byte {
	t.Helper()
	var to bytes.Buffer
	s := checkpoint.NewSaver(&to)
	s.Part(x)
	if err := s.Flush(); err != nil {
		t.Fatalf("saving: %v", err)
	}
	return to.Bytes()
}

// Load restores a checkpoint.Saver. It returns why a state is refused.
func Load(x any, saved []byte) error {
	s := checkpoint.NewLoader(bytes.NewReader(saved), int64(len(saved)))
	s.Part(x)
	return s.End()
}

// differences names the fields, but for scratch, in which two values differ, of types of the
// algorithms' own packages.
func differences(a, b any, scratch []string) []string {
	var d comparison
	d.scratch = scratch
	d.compare("", reflect.ValueOf(a), reflect.ValueOf(b))
	return d.found
}

type comparison struct {
	scratch, found []string
}

func (d *comparison) differ(name string) {
	if !slices.Contains(d.found, name) {
		d.found = append(d.found, name)
	}
}

func (d *comparison) compare(name string, a, b reflect.Value) {
	if a.Kind() != b.Kind() {
		d.differ(name)
		return
	}
	switch a.Kind() {
	case reflect.Invalid, reflect.Func:
	case reflect.Interface, reflect.Pointer:
		switch {
		case a.IsNil() != b.IsNil():
			d.differ(name)
		case !a.IsNil():
			d.compare(name, a.Elem(), b.Elem())
		}
	case reflect.Struct:
		d.compareStructs(a, b)
	case reflect.Slice, reflect.Array:
		if a.Len() != b.Len() {
			d.differ(name)
			return
		}
		for i := range a.Len() {
			d.compare(name, a.Index(i), b.Index(i))
		}
	case reflect.Float32, reflect.Float64:
		if x, y := a.Float(), b.Float(); x != y && (x == x || y == y) {
			d.differ(name)
		}
	default:
		if fmt.Sprint(a) != fmt.Sprint(b) {
			d.differ(name)
		}
	}
}

func (d *comparison) compareStructs(a, b reflect.Value) {
	t := a.Type()
	if slices.Contains(d.scratch, t.Name()) || a.Type() != b.Type() || !strings.HasPrefix(t.PkgPath(), "stochopt/algorithms") && !strings.HasPrefix(t.PkgPath(), "gonum.org/") ||
		strings.HasSuffix(t.PkgPath(), "suite") || strings.HasSuffix(t.PkgPath(), "test") {
		return
	}
	for i := range t.NumField() {
		name := t.Name() + "." + t.Field(i).Name
		if !slices.Contains(d.scratch, name) {
			d.compare(name, a.Field(i), b.Field(i))
		}
	}
}
