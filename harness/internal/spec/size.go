package spec

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"stochopt/internal/record"
	"stochopt/internal/whole"

	"github.com/dustin/go-humanize"
	"github.com/invopop/jsonschema"
)

// Size is a number of bytes. In YAML it is a number, or text such as 2GB or
// 512MiB.
type Size int64

// String writes a size in binary units, such as "1.9 GiB".
func (s Size) String() string { return humanize.IBytes(uint64(s)) }

// mostBytes bounds sizes, at 1 PiB: more than a machine has.
const mostBytes = 1 << 50

// ParseSize reads a number of bytes, such as "2GB" or "512MiB": infinity where that is
// too large, and less than 0 of a negative one.
func ParseSize(text string) (bytes float64, ok bool) {
	text, negative := strings.CutPrefix(strings.TrimSpace(text), "-")
	n, err := humanize.ParseBytes(text)
	bytes = float64(n)
	if err != nil && (errors.Is(err, strconv.ErrRange) || strings.HasPrefix(err.Error(), "too large")) {
		bytes, err = math.Inf(1), nil
	}
	if negative {
		bytes = -bytes
	}
	return bytes, err == nil
}

// decodeNode implements nodeDecoder.
func (s *Size) decodeNode(_ *decoder, n *node, _ path) error {
	bytes, ok := record.Number(n.value)
	if text, written := n.value.(string); written {
		bytes, ok = ParseSize(text)
	}
	switch {
	case !ok:
		return fmt.Errorf("want a size, such as 2GB or 512MiB, got %s", n.describe())
	case !(bytes >= 1):
		return fmt.Errorf("must be at least 1 byte, got %v", n.value)
	case bytes > mostBytes:
		return fmt.Errorf("must be at most %s, got %v", Size(mostBytes), n.value)
	}
	*s = Size(whole.Within(bytes, 0, mostBytes))
	return nil
}

// JSONSchema describes a size.
func (Size) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{
		Description: "A number of bytes, or a size such as 2GB or 512MiB.",
		AnyOf:       []*jsonschema.Schema{{Type: "string"}, {Type: "integer", Minimum: "1"}},
	}
}
