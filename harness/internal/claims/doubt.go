package claims

// casts reports whether a remark casts doubt on the outcome: with other data, with the
// runs that are missing, or with another choice of parameters it may be another. Less
// than the thesis's scale does not: the outcome is then that of a smaller experiment.
func (r Remark) casts() bool {
	switch r.Kind {
	case standIn, leftOut, outOfTime, endedBefore, mayBeLess, mayBeMore, byChance, otherChoice, otherChoiceUnknown,
		oneRepeat, oneRepeatOf, notJudged, missingRuns:
		return true
	}
	return false
}
