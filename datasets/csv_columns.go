package datasets

import (
	"slices"
	"strconv"
	"strings"
)

// findFeatures says which feature each column is.
func (p *csvParser) findFeatures(columns, line int) error {
	ignored, err := p.findIgnored(columns, line)
	if err != nil {
		return err
	}
	p.feature = make([]int, columns)
	for c := range p.feature {
		p.feature[c] = -1
		if c != p.label && !ignored[c] {
			p.feature[c] = p.d
			p.d++
		}
	}
	if p.d == 0 {
		return p.errorf(line, "no column is left for the features")
	}
	return nil
}

func (p *csvParser) findLabel(columns, line int) error {
	if p.opt.Label == "" || p.opt.Label == "none" {
		return nil
	}
	c, err := p.find("label", p.opt.Label, columns, line)
	if err == nil {
		p.label = c
	}
	return err
}

// find returns the column of a name or number; what says what for.
func (p *csvParser) find(what, name string, columns, line int) (int, error) {
	if i := slices.Index(p.header, name); i >= 0 {
		return i, nil
	}
	c, err := strconv.Atoi(name)
	switch {
	case err != nil && p.header == nil:
		return 0, p.errorf(line, "%s column %q: the file has no header; give the number of the column, 1 for the first, -1 for the last", what, name)
	case err != nil:
		return 0, p.errorf(line, "%s: %v", what, unknown("column", name, p.header))
	case c == 0 || c > columns || c < -columns:
		return 0, p.errorf(line, "%s column %d: the file has columns 1 to %d (or -1 for the last)", what, c, columns)
	case c > 0:
		return c - 1, nil
	}
	return columns + c, nil
}

// findIgnored says of each column whether it is neither a feature nor labels.
func (p *csvParser) findIgnored(columns, line int) ([]bool, error) {
	ignored := make([]bool, columns)
	if p.opt.Ignore == "" {
		return ignored, nil
	}
	for name := range strings.SplitSeq(p.opt.Ignore, ",") {
		c, err := p.find("ignore", strings.TrimSpace(name), columns, line)
		switch {
		case err != nil:
			return nil, err
		case c == p.label:
			return nil, p.errorf(line, "ignore: column %s is that of the labels", p.column(c))
		}
		ignored[c] = true
	}
	return ignored, nil
}
