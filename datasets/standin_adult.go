package datasets

import (
	"fmt"
	"math/rand/v2"
)

// The attributes that depend on others.
const (
	attrAge = iota
	attrWorkclass
	_
	attrEducation
	attrYears
	attrMarital
	attrOccupation
	attrRelationship
	_
	attrSex
	_
	_
	_
	attrCountry
)

// adultCountryShare is the share of rows, in 10,000, that have a country.
const adultCountryShare = 9821

// adultStandIn draws rows of 14 attributes, each coded as one 1 among as many
// binary features as it has values. Given the label the attributes form a
// forest: the sex, age and marital state depend on the relationship, the
// occupation on the years of education, which follow from the education; the
// others depend on the label alone. Work class and occupation miss together.
func adultStandIn(variant string, parts []Part) (*Table, error) {
	var tables []*Table
	for _, p := range parts {
		t, err := adultPart(variant, p)
		if err != nil {
			return nil, err
		}
		tables = append(tables, t)
	}
	return stack(tables), nil
}

func adultPart(variant string, part Part) (*Table, error) {
	positives, ok := adultPositives[variant][part.Name]
	if !ok {
		return nil, fmt.Errorf("no part %s of %s", part.Name, variant)
	}
	var stream uint64 = 16
	for i, c := range variant + "/" + part.Name {
		stream += uint64(c) << (4 * i % 48)
	}
	rng := rand.New(rand.NewPCG(standInSeed, stream))
	t := &Table{N: part.Rows, indptr: []int{0}}
	offset := make([]int, len(adultAttributes))
	for k, a := range adultAttributes {
		offset[k] = t.D
		t.D += len(a.counts[0])
	}
	value := make([]int, len(adultAttributes))
	for _, label := range shuffledClasses([]int{part.Rows - positives, positives}, rng) {
		adultRow(value, label, rng)
		for k, v := range value {
			if v >= 0 {
				t.indices = append(t.indices, int32(offset[k]+v))
				t.values = append(t.values, 1)
			}
		}
		t.indptr = append(t.indptr, len(t.indices))
		t.Labels = append(t.Labels, float64(2*label-1))
	}
	return t, nil
}

// adultRow draws a value for each attribute, -1 for none.
func adultRow(value []int, label int, rng *rand.Rand) {
	for k, a := range adultAttributes {
		value[k] = pick(a.counts[label], rng)
	}
	value[attrYears] = adultYears[value[attrEducation]]
	r := value[attrRelationship]
	value[attrMarital] = pick(adultMarital[label][r], rng)
	value[attrSex] = pick(adultSex[label][r], rng)
	value[attrAge] = pick(adultAge[label][r], rng)
	// Index 0 counts the rows without an occupation.
	value[attrOccupation] = pick(adultOccupation[label][value[attrYears]], rng) - 1
	if value[attrOccupation] < 0 {
		value[attrWorkclass] = -1
	}
	if rng.IntN(10000) >= adultCountryShare {
		value[attrCountry] = -1
	}
}
