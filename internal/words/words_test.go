package words

import (
	"math"
	"slices"
	"testing"
)

func TestTexts(t *testing.T) {
	for _, test := range []struct{ got, want string }{
		{Count(1, "run"), "1 run"},
		{Count(3, "run"), "3 runs"},
		{Count(0, "cell"), "0 cells"},
		{List(nil, 2), ""},
		{List([]string{"a", "b", "c", "d"}, 2), "a, b and 2 more"},
		{Quoted(nil), "none"},
		{Quoted([]string{"a", "b c"}), `"a", "b c"`},
		{Changes(nil), ""},
		{Changes([]string{"a=1", "b=2"}), "changed by --set: a=1, b=2"},
		{Rounded(math.Inf(1)), "+Inf"},
		{Exact(0.1), "0.1"},
		{Exact(1e22), "1e+22"},
		{Digits(1234.5678, 3), "1.23e+03"},
		{Percent(0.01254), "1.25 %"},
		{PercentPlusMinus(0.5, 0.001), "50.00 ± 0.10 %"},
		{Significant(0, 3), "0"},
		{Significant(28412.4, 3), "28412"},
		{Significant(0.123456, 3), "0.123"},
		{Significant(-0.000123456, 3), "-1.23e-04"},
		{Significant(2.5e6, 3), "2.50e+06"},
		{Significant(7, 3), "7"},
		{Significant(123.456, 4), "123.5"},
		{Significant(-2.5, 3), "-2.50"},
		{PlusMinus(0.01234, 0.00056), "0.01234 ± 0.00056"},
		{PlusMinus(1.234e-5, 5.6e-7), "(1.234 ± 0.056)e-05"},
		{PlusMinus(1e-6, 2.5e-5), "(0.1 ± 2.5)e-05"},
		{PlusMinus(3, 0), "3 ± 0"},
		{PlusMinus(-0.5, 0.25), "-0.50 ± 0.25"},
		{PlusMinus(0, 1e-9), "(0.0 ± 1.0)e-09"},
		{PlusMinus(1234567, 8900), "(1.2346 ± 0.0089)e+06"},
		{PlusMinus(123, 4567), "123 ± 4567"},
	} {
		if test.got != test.want {
			t.Errorf("got %q, want %q", test.got, test.want)
		}
	}
}

// The numbers of verdicts: estimates, costs and references.
func TestNumbersOfVerdicts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		v                    float64
		rounded, cost, whole string
	}{
		{0, "0", "0", "0"},
		{1, "1.00", "1", "1"},
		{0.99961, "1.00", "1.00", "0.9996"},
		{0.099999, "0.100", "0.100", "0.1"},
		{28412.4, "28400", "28412", "2.841e+04"},
		{1e6, "1.00e+06", "1.00e+06", "1e+06"},
		{0.12345, "0.123", "0.123", "0.1235"},
		{0.0123456, "0.0123", "0.0123", "0.01235"},
		{-2.5, "-2.50", "-2.50", "-2.5"},
		{46.41588, "46.4", "46", "46.42"},
		{10.0000000001, "10.0", "10", "10"},
		{9999, "10000", "9999", "9999"},
		{123456, "1.23e+05", "123456", "123456"},
		{3977540, "3.98e+06", "3.98e+06", "3.978e+06"},
		{1e-12, "1.00e-12", "1.00e-12", "1e-12"},
	} {
		if r, c, w := Rounded(tt.v), Cost(tt.v), Whole(tt.v, 1e6); r != tt.rounded || c != tt.cost || w != tt.whole {
			t.Errorf("%v: %q, %q, %q; want %q, %q, %q", tt.v, r, c, w, tt.rounded, tt.cost, tt.whole)
		}
	}
}

func TestWrap(t *testing.T) {
	for _, test := range []struct {
		text, indent string
		width        int
		want         []string
	}{
		{"one two three", "", 7, []string{"one two", "three"}},
		{"one two three", "  ", 7, []string{"one two", "  three"}},
		{"  one two three", "  ", 7, []string{"  one", "  two", "  three"}},
		{"a considerably longer word", "", 5, []string{"a", "considerably", "longer", "word"}},
		{"± ± ±", "", 3, []string{"± ±", "±"}},
		{"", "  ", 10, []string{""}},
	} {
		if got := Wrap(test.text, test.width, test.indent); !slices.Equal(got, test.want) {
			t.Errorf("Wrap(%q, %d, %q) = %q, want %q", test.text, test.width, test.indent, got, test.want)
		}
	}
}

func TestMarkdown(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"p < 0.001, a & b, [1] > 2":    "p < 0.001, a & b, [1] > 2",
		"<script>alert(1)</script>":    "&lt;script>alert(1)&lt;/script>",
		"<!-- x --><?x?>":              "&lt;!-- x -->&lt;?x?>",
		"&lt;b&#60; & c":               "&amp;lt;b&amp;#60; & c",
		"a|b\\|c":                      `a\|b\\\|c`,
		"[x](javascript:alert(1))":     `[x]\(javascript:alert(1))`,
		"*a* _b_ ~~c~~ `d`":            "\\*a\\* \\_b\\_ \\~\\~c\\~\\~ \\`d\\`",
		"one\n# two\r\n| three":        `one # two  \| three`,
		"![x](http://example.org/a.b)": `![x]\(http://example.org/a.b)`,
	} {
		if got := Markdown(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

func TestFit(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text  string
		width int
		want  string
	}{
		{"a b c d e", 9, "a b c d e"}, {"± ± ±", 5, "± ± ±"}, {"one two", 6, "one t…"}, {"one two", 5, "one…"}, {"one", 1, "…"}, {"", 0, ""},
	} {
		if got := Fit(test.text, test.width); got != test.want {
			t.Errorf("Fit(%q, %d) = %q, want %q", test.text, test.width, got, test.want)
		}
	}
}
