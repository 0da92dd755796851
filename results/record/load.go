package record

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
)

// opened is a file of lines that is being loaded.
type opened struct {
	*lineFile
	// stream is what it holds, uncompressed. random says that its lines can be read one by
	// one, which those of a compressed file cannot.
	stream io.ReadCloser
	random bool
	size   int64
}

// openFile opens a file to load it. There is none, and no error, if it does not exist.
func (c *contents) openFile(path string) (*opened, error) {
	f, err := openLines(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	o := &opened{stream: f}
	if plain, ok := f.(*os.File); ok {
		info, err := plain.Stat()
		if err != nil {
			f.Close()
			return nil, fmt.Errorf("results: cannot read %s: %w", path, err)
		}
		o.lineFile, o.random, o.size = &lineFile{path: path, open: plain}, true, info.Size()
		c.lines[filepath.Base(path)] = o.lineFile
	}
	return o, nil
}

// done closes the file, unless its lines will be read one by one.
func (o *opened) done() {
	if !o.random {
		o.stream.Close()
	}
}

// load loads a file: with its section of the index, if that is of what the file holds now,
// or else by decoding its lines, of which add is to make entries of a new section. The
// numbers of an entry are width many, of which entry takes in.
func load[T any](
	c *contents, o *opened, path string, torn bool, decode Decoder[T], width int,
	add func(*section, *line[T]), entry func(s *section, key string, numbers []uint64) error, reset func(count int),
) error {
	name := filepath.Base(path)
	if s := c.index[name]; o.random && !torn && s != nil && s.size == o.size {
		if is, err := fingerprintOf(io.NewSectionReader(o.open, 0, o.size)); err == nil && is == s.fingerprint {
			reset(s.count)
			if s.each(width, c.runs, func(key string, numbers []uint64) error { return entry(s, key, numbers) }) == nil {
				o.indexBy(s)
				c.files = append(c.files, Lines{File: name, Count: s.count})
				return nil
			}
			reset(0)
		}
	}
	sum := crc32.New(castagnoli)
	made := &section{}
	lines, err := eachLine(io.TeeReader(o.stream, sum), path, torn, decode, func(l *line[T]) { add(made, l) })
	if err != nil {
		return err
	}
	c.files = append(c.files, lines)
	if !o.random || torn {
		return nil
	}
	if c.index == nil {
		return nil
	}
	_, had := c.index[name]
	delete(c.index, name)
	if o.size >= leastIndexed && len(lines.Damaged) == 0 {
		made.fingerprint = fingerprint{o.size, sum.Sum32()}
		made.count = lines.Count
		o.indexBy(made)
		c.index[name], had = made, true
	}
	c.remade = c.remade || had
	return nil
}

// indexBy notes that a section of an index is of the file.
func (f *lineFile) indexBy(s *section) {
	f.indexed, f.fingerprint, f.count, f.numbers, f.trusted = true, s.fingerprint, s.count, numbers{}, map[string]bool{}
	for name, list := range s.numbers {
		if len(list) == s.count {
			f.numbers[name] = list
		}
	}
}

// parsed is a run decoded from a line, with the texts of what it shares with others.
type parsed struct {
	run         Run
	head, outer string
}

func parseRun(object []byte) (p parsed, err error) {
	if p.run, err = decodeRun(object); err != nil {
		return p, err
	}
	if l := p.run.LeftOut; l != nil {
		l.Columns = l.Columns.known()
	}
	return p, p.shared()
}

// shared encodes what the run shares with others: as its head what the plan says of it but
// for the repeat, and as its outcome what came out but for the curve.
func (p *parsed) shared() error {
	head, outcome := p.run, Run{}
	moveOutcome(&outcome, &head)
	head.Key, head.Repeat, head.Curve, head.LeftOut = "", 0, Curve{}, nil
	for _, part := range []struct {
		text *string
		of   Run
	}{{&p.head, head}, {&p.outer, outcome}} {
		text, err := encodeLine(part.of)
		if err != nil {
			return err
		}
		*part.text = string(text)
	}
	return nil
}

// moveOutcome moves what came out of a run, but for the curve.
func moveOutcome(to, from *Run) {
	to.Rows, to.Facts, to.Status, to.Reason, to.Limit = from.Rows, from.Facts, from.Status, from.Reason, from.Limit
	from.Rows, from.Facts, from.Status, from.Reason, from.Limit = nil, nil, "", "", nil
}

// sharing gives runs what they have in common, once.
type sharing struct {
	heads, outcomes []Run
	// columns are those of the texts of a section.
	columns []*Columns
}

// intern takes a run in, by the numbers of its texts: a new one is the next.
func (s *sharing) intern(r Run, head, outcome uint64) Run {
	if head == uint64(len(s.heads)) {
		s.heads = append(s.heads, r)
	}
	if outcome == uint64(len(s.outcomes)) {
		s.outcomes = append(s.outcomes, r)
	}
	own := s.heads[head]
	came := s.outcomes[outcome]
	moveOutcome(&own, &came)
	own.Key, own.Repeat, own.Curve, own.LeftOut, own.stored = r.Key, r.Repeat, r.Curve, r.LeftOut, r.stored
	return own
}

// decoded reads the texts of a section.
func (s *sharing) decoded(of *section) error {
	for i, runs := range []*[]Run{&s.heads, &s.outcomes} {
		*runs = make([]Run, len(of.tables[i].texts))
		for j, text := range of.tables[i].texts {
			if err := DecodeLine([]byte(text), &(*runs)[j]); err != nil {
				return err
			}
		}
	}
	s.columns = make([]*Columns, len(of.tables[2].texts))
	for i, text := range of.tables[2].texts {
		var err error
		if s.columns[i], err = columnsFrom(text); err != nil {
			return err
		}
	}
	return nil
}

// Numbers of the entry of a run.
const (
	runHead = iota
	runOutcome
	runRepeat
	runOffset
	runSize
	runPoints
	runEnd
	runClassifier
	runColumns
	runNumbers
)

// loadRuns loads a file of runs; one that is not there holds nothing. The curves stay there,
// unless it is compressed.
func (c *contents) loadRuns(path string) (runs []Run, err error) {
	o, err := c.openFile(path)
	if o == nil || err != nil {
		return nil, err
	}
	defer o.done()
	var share *sharing
	add := func(s *section, l *line[parsed]) {
		p := &l.value
		head, outcome := s.tables[0].number(p.head), s.tables[1].number(p.outer)
		if o.random {
			p.run.store(place{o.lineFile, l.offset, l.size})
			p.run.stored.line = len(runs)
			b := p.run.stored.brief
			columns := s.tables[2].number(p.run.stored.columns.text)
			s.add(p.run.Key, head, outcome, uint64(p.run.Repeat), uint64(l.offset), uint64(l.size), uint64(b.points), uint64(b.end), flag(b.classifier), columns)
		}
		runs = append(withRoom(runs, l.offset, o.size), share.intern(p.run, head, outcome))
	}
	entry := func(s *section, key string, n []uint64) error {
		if len(runs) == 0 {
			if err := share.decoded(s); err != nil {
				return err
			}
		}
		if n[runHead] >= uint64(len(share.heads)) || n[runOutcome] >= uint64(len(share.outcomes)) || n[runColumns] >= uint64(len(share.columns)) || !s.holds(n[runOffset], n[runSize]) {
			return errIndex
		}
		r := Run{Key: key, Repeat: int(n[runRepeat])}
		r.stored.place = place{o.lineFile, int64(n[runOffset]), int(n[runSize])}
		r.stored.line = len(runs)
		r.stored.brief = brief{int(n[runPoints]), int64(n[runEnd]), n[runClassifier] == 1}
		r.stored.columns = share.columns[n[runColumns]]
		runs = append(runs, share.intern(r, n[runHead], n[runOutcome]))
		return nil
	}
	reset := func(count int) { runs, share = make([]Run, 0, count), &sharing{} }
	reset(0)
	err = load(c, o, path, false, parseRun, runNumbers, add, entry, reset)
	return runs, err
}

// withRoom returns a list with room for what the rest of a file will add to it, by what its
// bytes up to an offset have: copies of a long list would lie about in memory.
func withRoom[T any](list []T, offset, size int64) []T {
	const least = 1 << 10
	if n := len(list); n == cap(list) && n >= least && offset < size {
		return slices.Grow(list, int(1.02*float64(n)*float64(size-offset)/float64(offset))+1)
	}
	return list
}

// holds reports whether a file has a line at so many bytes.
func (f fingerprint) holds(offset, size uint64) bool {
	return offset <= uint64(f.size) && size <= uint64(f.size)-offset
}

func flag(is bool) uint64 {
	if is {
		return 1
	}
	return 0
}

// store leaves the curve of a run to the line that it was read from.
func (r *Run) store(at place) {
	keep(keptAt{at, false}, r.Curve)
	r.stored, r.Curve = stored{place: at, brief: briefOf(r.Curve), columns: columnsOf(r.Curve)}, Curve{}
}

// loadTimings loads TimingsFile, of several of one run the first.
func (c *contents) loadTimings(path string) (timings []storedTiming, err error) {
	o, err := c.openFile(path)
	if o == nil || err != nil {
		return nil, err
	}
	defer o.done()
	extents := new(table)
	take := func(key string, extent string, t timed) {
		timings = append(timings, storedTiming{ref{key, extents.texts[extents.number(extent)]}, t})
	}
	add := func(s *section, l *line[Timing]) {
		t := timedOf(l.value)
		if o.random {
			t = timed{l.value.StepSeconds, l.value.EvalSeconds, place{o.lineFile, l.offset, l.size}, nil}
			keep(keptAt{t.place, true}, l.value)
		}
		s.add(l.value.Key, s.tables[0].number(l.value.Extent), math.Float64bits(t.step), math.Float64bits(t.eval), uint64(l.offset), uint64(l.size))
		timings = withRoom(timings, l.offset, o.size)
		take(l.value.Key, l.value.Extent, t)
	}
	entry := func(s *section, key string, n []uint64) error {
		if n[0] >= uint64(len(s.tables[0].texts)) || !s.holds(n[3], n[4]) {
			return errIndex
		}
		at := place{o.lineFile, int64(n[3]), int(n[4])}
		take(key, s.tables[0].texts[n[0]], timed{math.Float64frombits(n[1]), math.Float64frombits(n[2]), at, nil})
		return nil
	}
	reset := func(count int) { timings = make([]storedTiming, 0, count) }
	err = load(c, o, path, false, decodeTiming, 5, add, entry, reset)
	return timings, err
}

// loadPlan loads PlanFile.
func (c *contents) loadPlan(path string) (plan []ID, err error) {
	o, err := c.openFile(path)
	if o == nil || err != nil {
		return nil, err
	}
	defer o.stream.Close()
	type parsedID struct {
		ID
		shared string
	}
	decode := func(object []byte) (p parsedID, err error) {
		if p.ID, err = decodeID(object); err != nil {
			return p, err
		}
		others := p.ID
		others.Key = ""
		text, err := encodeLine(others)
		p.shared = string(text)
		return p, err
	}
	var share []ID
	intern := func(id ID, number uint64) {
		if number == uint64(len(share)) {
			share = append(share, id)
		}
		own := share[number]
		own.Key = id.Key
		plan = append(plan, own)
	}
	add := func(s *section, l *line[parsedID]) {
		id := l.value.ID
		number := s.tables[0].number(l.value.shared)
		s.add(id.Key, number)
		intern(id, number)
	}
	entry := func(s *section, key string, n []uint64) error {
		if len(share) == 0 {
			share = make([]ID, len(s.tables[0].texts))
			for i, text := range s.tables[0].texts {
				if err := DecodeLine([]byte(text), &share[i]); err != nil {
					return err
				}
			}
		}
		if n[0] >= uint64(len(share)) {
			return errIndex
		}
		intern(ID{Key: key}, n[0])
		return nil
	}
	reset := func(count int) { plan, share = make([]ID, 0, count), nil }
	err = load(c, o, path, false, decode, 1, add, entry, reset)
	return plan, err
}

// readJournal reads a journal, whose lines stay where they are.
func (c *contents) readJournal(path string) error {
	o, err := c.openFile(path)
	if o == nil || err != nil {
		return err
	}
	o.journal = true
	share, texts := &sharing{}, new(section)
	type parsedEntry struct {
		parsed
		timing Timing
	}
	decode := func(object []byte) (p parsedEntry, err error) {
		e, err := decodeEntry(object)
		if err != nil {
			return p, err
		}
		p.run, p.timing = e.Run, e.Timing
		return p, p.shared()
	}
	add := func(_ *section, l *line[parsedEntry]) {
		p, at := &l.value, place{o.lineFile, l.offset, l.size}
		head, outcome := texts.tables[0].number(p.head), texts.tables[1].number(p.outer)
		p.run.store(at)
		keep(keptAt{at, true}, p.timing)
		c.journals = append(c.journals, storedEntry{
			share.intern(p.run, head, outcome), timed{p.timing.StepSeconds, p.timing.EvalSeconds, at, nil},
		})
	}
	return load(c, o, path, true, decode, 0, add, nil, func(int) {})
}
