package spec

import (
	"fmt"
	"strings"

	"stochopt/internal/record"

	"github.com/dustin/go-humanize"
	"github.com/invopop/jsonschema"
)

// Size is a number of bytes. In YAML it is a number or a text such as 2GiB or 512MiB.
type Size int64

// String returns the size in the largest binary unit that does not exceed it, rounded to four digits.
func (s Size) String() string {
	number, unit, _ := strings.Cut(humanize.IBytesN(uint64(max(s, 0)), 4), " ")
	if strings.Contains(number, ".") {
		number = strings.TrimSuffix(strings.TrimRight(number, "0"), ".")
	}
	return number + " " + unit
}

// maxSizeBytes is the largest size, 1 PiB.
const maxSizeBytes = 1 << 50

// decodeNode implements nodeDecoder.
func (s *Size) decodeNode(_ *decoder, n *node, _ path) error {
	bytes, ok := record.Number(n.value)
	if text, isText := n.value.(string); isText {
		size, err := humanize.ParseBytes(text)
		bytes, ok = float64(size), err == nil
	}
	if !ok || !(bytes >= 1) || bytes > maxSizeBytes {
		return fmt.Errorf("want a size of at most %s, such as 2GiB or 512MiB, got %s", Size(maxSizeBytes), n.describe())
	}
	*s = Size(bytes)
	return nil
}

// JSONSchema describes a size.
func (Size) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{
		Description: "A number of bytes, or a size such as 2GiB or 512MiB.",
		AnyOf:       []*jsonschema.Schema{{Type: "string"}, {Type: "integer", Minimum: "1"}},
	}
}
