package lease

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// hold takes a lease that is given up with the test.
func hold(t *testing.T, dir, name string, who Holder) *Lease {
	t.Helper()
	l, err := Acquire(dir, name, who)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Release() })
	return l
}

// foreign writes a lease of another machine that was renewed so long ago.
func foreign(t *testing.T, dir, stem string, ago time.Duration, change func(*content)) string {
	t.Helper()
	c := content{Holder: Holder{Host: "far", PID: 7, Boot: "another boot", Started: "1", Nonce: "n"}}
	if change != nil {
		change(&c)
	}
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, stem+suffix)
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	at := time.Now().Add(-ago)
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
	return path
}

func only(t *testing.T, dir, name string) State {
	t.Helper()
	states, err := List(dir, name)
	if err != nil || len(states) == 0 {
		t.Fatalf("%d leases, %v", len(states), err)
	}
	return states[len(states)-1]
}

func TestOneOfManyHoldsALease(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for range 20 {
		var won atomic.Int32
		var wg sync.WaitGroup
		release := make(chan struct{})
		for range 8 {
			wg.Go(func() {
				l, err := Acquire(dir, "a", Me("test"))
				var held *HeldError
				switch {
				case err == nil:
					won.Add(1)
					<-release
					if err := l.Release(); err != nil {
						t.Error(err)
					}
				case !errors.As(err, &held):
					t.Error(err)
				}
			})
		}
		// Another name is another lease.
		hold(t, dir, "a-b", Me("test")).Release()
		close(release)
		wg.Wait()
		if won.Load() < 1 {
			t.Fatal("nobody got it")
		}
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left are %v", left)
	}
	a := hold(t, dir, "a", Me("first"))
	_, err := Acquire(dir, "a", Me("second"))
	var held *HeldError
	if !errors.As(err, &held) || held.What != "first" || !held.Here || !held.Living || held.Stem != a.Stem() {
		t.Errorf("error %v", err)
	}
}

// A lease of a process that was killed is free at once, even before anybody has waited for
// the process; one of a process that stands still is not.
func TestLeaseOfAProcessThatIsKilled(t *testing.T) {
	t.Parallel()
	if started(os.Getpid()) == "" {
		t.Skip("processes do not tell when they began here")
	}
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Skip("no program to kill")
	}
	dir := t.TempDir()
	cmd := exec.Command(sleep, "1000")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	me := Me("")
	foreign(t, dir, "a-3", 10*Expiry, func(c *content) {
		c.Holder = Holder{Host: me.Host, PID: cmd.Process.Pid, Boot: me.Boot, Started: started(cmd.Process.Pid)}
	})
	_, err = Acquire(dir, "a", me)
	var held *HeldError
	if !errors.As(err, &held) || held.PID != cmd.Process.Pid {
		t.Errorf("the lease of a living process: %v", err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for alive(cmd.Process.Pid, started(cmd.Process.Pid)) {
		time.Sleep(time.Millisecond)
	}
	l := hold(t, dir, "a", me)
	if l.Stem() != "a-4" {
		t.Errorf("stem %s, want a-4", l.Stem())
	}
	_ = cmd.Wait()

	// Another process of the same number is another.
	foreign(t, dir, "b-1", 0, func(c *content) {
		c.Holder = Holder{Host: me.Host, PID: me.PID, Boot: me.Boot, Started: "1"}
	})
	hold(t, dir, "b", me)
}

// Of a process on another machine only the file tells.
func TestLeaseOfAnotherMachine(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		ago    time.Duration
		change func(*content)
		who    func(*Holder)
		free   bool
	}{
		"renewed":              {ago: Expiry / 2},
		"not renewed":          {ago: Expiry + time.Minute, free: true},
		"a clock that was set": {ago: -Expiry - time.Minute, free: true},
		"ended":                {change: func(c *content) { c.Ended = true }, free: true},
		"not whole":            {change: nil, ago: time.Second},
		"the job before": {
			change: func(c *content) { c.Job, c.Restart = "12_4", 0 },
			who:    func(h *Holder) { h.Job, h.Restart = "12_4", 1 }, free: true,
		},
		"the same job": {
			change: func(c *content) { c.Job = "12_4" },
			who:    func(h *Holder) { h.Job = "12_4" },
		},
		"another job": {
			change: func(c *content) { c.Job = "12_3" },
			who:    func(h *Holder) { h.Job, h.Restart = "12_4", 1 },
		},
		"no job": {who: func(h *Holder) { h.Restart = 1 }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := foreign(t, dir, "a-1", test.ago, test.change)
			if name == "not whole" {
				if err := os.WriteFile(path, []byte(`{"host": "f`), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			me := Me("")
			if test.who != nil {
				test.who(&me)
			}
			l, err := Acquire(dir, "a", me)
			if free := err == nil; free != test.free {
				t.Fatalf("free: %v, want %v: %v", free, test.free, err)
			}
			if err == nil {
				if err := errors.Join(l.Held(), l.Release()); err != nil {
					t.Error(err)
				}
				return
			}
			if !strings.Contains(err.Error(), "is taken for dead after 3m0s") {
				t.Errorf("error %v", err)
			}
		})
	}
}

// A lease that is broken is lost, once its holder asks.
func TestLostLease(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l := hold(t, dir, "a", Me(""))
	before := only(t, dir, "a").Renewed
	if err := os.Chtimes(filepath.Join(dir, "a-1"+suffix), before.Add(-time.Hour), before.Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	if err := l.Held(); err != nil {
		t.Error(err)
	}
	if only(t, dir, "a").Renewed.After(before.Add(-time.Minute)) {
		t.Error("a lease that was renewed just now is written again when it is asked for")
	}
	l.renewed = l.renewed.Add(-Expiry) // it stood still
	if err := l.Held(); err != nil {
		t.Error(err)
	}
	if only(t, dir, "a").Renewed.Before(before.Add(-time.Minute)) {
		t.Error("it was not renewed")
	}
	if err := only(t, dir, "a").Break(); err != nil {
		t.Fatal(err)
	}
	other := hold(t, dir, "a", Me("other"))
	if other.Stem() != l.Stem() {
		t.Fatalf("stems %s and %s", other.Stem(), l.Stem())
	}
	l.renewed = l.renewed.Add(-Expiry)
	for range 2 {
		if err := l.Held(); !errors.Is(err, ErrLost) {
			t.Errorf("lost: %v", err)
		}
	}
	if err := l.Release(); err != nil {
		t.Error(err)
	}
	if s := only(t, dir, "a"); s.What != "other" || s.Ended {
		t.Errorf("the lease of the other is %+v", s)
	}
	if err := other.Held(); err != nil {
		t.Error(err)
	}
}

// What a holder leaves when it ends says what it has written, and is held by nobody.
func TestEndedLease(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l := hold(t, dir, "a", Me("work"))
	files := []Sum{{"x.jsonl", 5, 17}}
	if err := l.End(files); err != nil {
		t.Fatal(err)
	}
	s := only(t, dir, "a")
	if !s.Ended || s.Living || len(s.Files) != 1 || s.Files[0] != files[0] || s.What != "work" {
		t.Errorf("it has left %+v", s)
	}
	if next := hold(t, dir, "a", Me("")); next.Stem() != "a-2" {
		t.Errorf("the next is %s", next.Stem())
	}
	if all, err := ListAll(dir, ""); err != nil || len(all) != 2 || all[0].N != 1 || all[1].N != 2 {
		t.Errorf("%+v, %v", all, err)
	}
}

// Who waits gets the lease once it is given up, and removes what the dead have left.
func TestWaitForALease(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	foreign(t, dir, "a-1", 2*Expiry, nil)
	first := hold(t, dir, "a", Me("first"))
	var told []string
	l, err := Wait(t.Context(), dir, "a", Me("second"), func(s State) {
		told = append(told, s.What)
		if err := first.Release(); err != nil {
			t.Error(err)
		}
	})
	if err != nil || len(told) != 1 || told[0] != "first" {
		t.Fatalf("told of %q, %v", told, err)
	}
	if states, err := List(dir, "a"); err != nil || len(states) != 1 || states[0].Stem != l.Stem() {
		t.Errorf("left are %+v, %v", states, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Wait(ctx, dir, "a", Me("third"), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	if err := l.Release(); err != nil {
		t.Error(err)
	}
}
