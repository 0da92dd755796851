package datasets

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// Raw rows that are prepared by what was fitted to them have the same bits, after a way
// through JSON, of whatever kind the table is.
func TestFittedStepsAgain(t *testing.T) {
	t.Parallel()
	sparse, err := ReadLIBSVM(strings.NewReader("1 1:1.7 2:100 4:3\n1 1:3.1 4:-2\n1 2:300.3 4:-2\n"), "a", 5)
	if err != nil {
		t.Fatal(err)
	}
	bytes := newCoded(4, 3, []uint8{9, 0, 7, 9, 200, 3, 9, 17, 0, 9, 1, 255}, byteLevels())
	for name, table := range map[string]*Table{"dense": noise(40, 5), "sparse": sparse, "bytes": bytes} {
		for _, step := range Preparations() {
			for _, steps := range [][]string{{step.Name}, {"center", step.Name}} {
				what := fmt.Sprint(name, " ", steps)
				want, fitted, _, err := prepare(owned(table), steps)
				if err != nil {
					t.Fatal(what, err)
				}
				text, err := json.Marshal(fitted)
				var back []Fitted
				if err == nil {
					err = json.Unmarshal(text, &back)
				}
				if err != nil || !reflect.DeepEqual(fitted, back) {
					t.Fatal(what, err, string(text))
				}
				got, err := prepareLike(owned(table), back, table.D, 0)
				if err != nil {
					t.Fatal(what, err)
				}
				sameBits(t, what, got.Dense(), want.Dense())
			}
		}
	}
}

// noise is a table of features of different widths, the last of them constant.
func noise(n, d int) *Table {
	var data []float64
	for i := range n * d {
		v := math.Sin(float64(i*i)) * math.Pow(10, float64(i%d))
		if i%d == d-1 {
			v = 0.1
		}
		data = append(data, v)
	}
	return NewDense(n, d, data, nil)
}

// A feature that was constant is 0 also where new rows have another value.
func TestConstantFeaturesAgain(t *testing.T) {
	t.Parallel()
	_, fitted, _, err := prepare(noise(20, 3), []string{"standardize-unit-expected-norm"})
	if err != nil {
		t.Fatal(err)
	}
	got, err := prepareLike(NewDense(1, 3, []float64{1, 2, 7}, nil), fitted, 3, 0)
	if err != nil || got.Row(0, nil)[2] != 0 {
		t.Errorf("%v, %v", got, err)
	}
}

// A file is read like another: columns by their names, labels by their texts.
func TestOpenLike(t *testing.T) {
	t.Parallel()
	steps := []string{"standardize-unit-expected-norm"}
	open := func(content string, ref Ref) (*Data, error) {
		ref.Path = laid(t, "d.csv", content)
		return Open(context.Background(), ref, Options{})
	}
	trained, err := open("a,y,b\n1,yes,10\n2,no,300\n4,yes,-20\n", Ref{Label: "y", Prepare: steps})
	if err != nil {
		t.Fatal(err)
	}
	like := trained.Recipe
	if like.Features = trained.Dim(); !slices.Equal(like.Columns, []string{"a", "b"}) || like.Label != "y" || !slices.Equal(like.Classes, []string{"no", "yes"}) {
		t.Fatalf("%+v", like)
	}
	raw := "1,10\n2,300\n4,-20\n"
	for _, test := range []struct {
		name, content string
		ref           Ref
		labels        []float64
		ignored       []string
	}{
		{"the same", "a,y,b\n1,yes,10\n2,no,300\n4,yes,-20\n", Ref{}, trained.Table.Labels, nil},
		{"other order", "y,b,a\nyes,10,1\nyes,300,2\nyes,-20,4\n", Ref{}, []float64{1, 1, 1}, nil},
		{"no label", "a,b\n" + raw, Ref{}, nil, nil},
		{"more", "name,b,a\nAnn,10,1\n,300,2\n?,-20,4\n", Ref{}, nil, []string{"name"}},
		{"no header", raw, Ref{}, nil, nil},
		{"labels not known", "a,b,y\n1,10,no\n2,300,\n4,-20,yes\n", Ref{}, nil, nil},
		{"another label", "a,b,was\n1,10,no\n2,300,no\n4,-20,yes\n", Ref{Label: "was"}, []float64{-1, -1, 1}, nil},
	} {
		test.ref.Like = &like
		got, err := open(test.content, test.ref)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if !slices.Equal(got.Table.Labels, test.labels) || !slices.Equal(got.Ignored, test.ignored) {
			t.Errorf("%s: labels %v, without %v", test.name, got.Table.Labels, got.Ignored)
		}
		got.Table.Labels, got.Table.texts = trained.Table.Labels, trained.Table.texts
		sameBits(t, test.name, got.Table, trained.Table)
	}
	for _, test := range []struct{ content, want string }{
		{"a,y\n1,yes\n", `d.csv:1: there is no column "b"; the columns must be called as in the file that was trained on`},
		{"a,B\n1,2\n", `there is no column "b" (there is "B")`},
		{"a,b,b\n1,2,3\n", `columns 2 and 3 are both called "b"`},
		{"1,2,3\n", "another number of features: the data have 3, the training data had 2"},
		{"a,b,y\n1,2,maybe\n", `d.csv:2: column 3 ("y"): "maybe" is not one of no, yes`},
		{"a,b\n1,NA\n", `d.csv:2: column 2 ("b"): the value is missing ("NA"): fill it in, or leave the row out of the file`},
	} {
		_, err := open(test.content, Ref{Like: &like})
		wantError(t, err, test.want)
	}
	_, err = open("a,b\n1,2\n", Ref{Like: &like, Prepare: steps})
	wantError(t, err, "the data are prepared like others")
}

// A test file has the labels of the training file.
func TestTextsOfTestFiles(t *testing.T) {
	t.Parallel()
	open := func(train, test string) (*Data, error) {
		ref := Ref{Path: laid(t, "train.csv", train), Test: laid(t, "test.csv", test), Label: "y"}
		return Open(context.Background(), ref, Options{})
	}
	d, err := open("a,y\n1,yes\n2,no\n", "a,y\n3,yes\n")
	if err != nil || !slices.Equal(d.Table.Labels, []float64{1, -1, 1}) {
		t.Errorf("%v, %v", d, err)
	}
	_, err = open("a,y\n1,yes\n2,no\n", "a,y\n3,No\n")
	wantError(t, err, `test.csv:2: column 2 ("y"): "No" is not one of no, yes`)
	_, err = open("a,y\n1,1\n2,-1\n", "a,y\n3,yes\n")
	wantError(t, err, `test.csv:2: column 2 ("y"): "yes" is not a number`)
}

// What does not fit together is found.
func TestRecipeCheck(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		recipe Recipe
		want   string
	}{
		{Recipe{Columns: []string{"a"}}, "1 names of columns for 2 features"},
		{Recipe{Classes: []string{"b", "a"}}, "not sorted, or one occurs twice"},
		{Recipe{Classes: []string{"a", "a"}}, "not sorted, or one occurs twice"},
		{Recipe{Classes: []string{"a\x1b[2J"}}, `"a\x1b[2J", is not plain text`},
		{Recipe{Prepare: []Fitted{{Step: "centre"}}}, `unknown step "centre"`},
		{Recipe{Prepare: []Fitted{{Step: "center", Subtract: []float64{1}}}}, "preparation 1: center: there are 1 and 0 numbers for 2 features"},
		{Recipe{Prepare: []Fitted{{Step: "unit-max-norm", Divide: []float64{math.NaN()}}}}, "a number is not finite"},
	} {
		test.recipe.Features = 2
		wantError(t, test.recipe.Check(), test.want)
	}
}
