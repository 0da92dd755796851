package claims

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// subjects are what the chapters of the thesis are about, in their order.
var subjects = []struct {
	first, last int
	name        string
}{
	{1, 2, "chapters 1 and 2, kernel SVM training"},
	{3, 3, "chapter 3, sparse SVMs"},
	{4, 6, "chapters 4 to 6, streaming PCA"},
}

var located = regexp.MustCompile(`^(?:sections?|chapter) (\d+(?:\.\d+)*)(?: and (\d+(?:\.\d+)*))?`)

// Sections lists the numbers of the sections of the thesis that the claim's Source begins
// with, such as "1.4.1", or of its chapter.
func (c *Claim) Sections() []string {
	at := located.FindStringSubmatch(c.Source)
	if at == nil {
		return nil
	}
	return slices.DeleteFunc(at[1:], func(number string) bool { return number == "" })
}

// Subject names the chapters of the thesis that the claim's Source is in, with what they
// are about. It is empty where the source does not begin with a section or a chapter.
func (c *Claim) Subject() string {
	at := c.Sections()
	if at == nil {
		return ""
	}
	first, _, _ := strings.Cut(at[0], ".")
	chapter, err := strconv.Atoi(first)
	if err != nil {
		return ""
	}
	for _, s := range subjects {
		if s.first <= chapter && chapter <= s.last {
			return s.name
		}
	}
	return ""
}

// Subjects lists what Subject returns, in the order of the chapters.
func Subjects() []string {
	names := make([]string, len(subjects))
	for i, s := range subjects {
		names[i] = s.name
	}
	return names
}
