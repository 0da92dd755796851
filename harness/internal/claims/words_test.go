package claims

import (
	"fmt"
	"testing"
)

// What a claim checks is said in words, whatever it is.
func TestChecksInWords(t *testing.T) {
	t.Parallel()
	reading := Reading{Series: "a", Curve: Curve{Metric: "error", Split: "test"}}
	for _, test := range []struct {
		claim Claim
		want  string
	}{
		{Claim{Check: Check{Order: &Order{Series: "a", Below: []string{"b", "c"}, Ratio: 0.9, Least: 0.5, Over: "end", Curve: Curve{Cost: "kernel_evals"}, Range: Range{From: 0.1}}}},
			"suboptimality of a over that of each of b, c at equal kernel_evals: from 0.5 to 0.9 at the end (10 % to the end)"},
		{Claim{Check: Check{Order: &Order{Series: "a", Below: []string{"b"}, Least: 1.05}}},
			"suboptimality of a over that of b at equal iterations: at least 1.05 in the geometric mean"},
		{Claim{Check: Check{Order: &Order{Series: "a", Below: []string{"b", "c"}, Best: true}}},
			"suboptimality of a over that of the best of b, c at equal iterations: below 1 in the geometric mean"},
		{Claim{Check: Check{Reaches: &Reaches{Series: "a", Value: Value{Of: &reading, Times: 2, Plus: 0.5}, Within: isp(100)}}},
			"suboptimality of a reaches 2 × final error of a + 0.5 within 100 iterations"},
		{Claim{Holds: "most", Data: "real", Check: Check{Stays: &Stays{Series: "a", Above: Value{Fact: "R"}, Range: Range{After: 5, Until: 9}}}},
			"suboptimality of a along iterations stays above R (5 to 9); on real data only; for most of the data sets and settings"},
		{Claim{Datasets: []string{"d"}, Check: Check{Ratio: &Ratio{Of: reading, To: Reading{Series: "b", Read: "cost-to", Target: isp(1)}, Between: []*float64{ptr(1), ptr(2)}}}},
			"final error of a / iterations to suboptimality 1 of b: from 1 to 2; on d"},
		{Claim{Check: Check{Plateau: &Plateau{Series: "a", Falls: 0.9, Above: isp(1), Range: Range{Passes: []float64{1, 2}}}}},
			"suboptimality of a along iterations: its end is at least 0.9 times its beginning (passes 1 to 2), and above 1"},
		{Claim{Check: Check{Exponent: &Exponent{Series: "a", Table: "t", Column: "c", Between: []*float64{nil, ptr(2)}}}},
			"a, c in the table t: at most 2"},
	} {
		if got := test.claim.Words("suboptimality"); got != test.want {
			t.Errorf("got\n%s\nwant\n%s", got, test.want)
		}
	}
	for _, name := range Bounds() {
		c := Claim{Check: Check{Bound: &Bound{Name: name, Series: "a"}}}
		of := bounds()[name]
		if got, want := c.Words(""), fmt.Sprintf("the bound %s holds for a: %s", name, of.doc); got != want || of.doc == "" {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
