package record

// Counts holds the numbers of runs by status.
type Counts struct {
	Runs        int `json:"runs"`
	Finished    int `json:"finished"`
	Diverged    int `json:"diverged"`
	Failed      int `json:"failed"`
	Skipped     int `json:"skipped"`
	OutOfTime   int `json:"out_of_time"`
	OutOfMemory int `json:"out_of_memory"`
}

// Add counts a run.
func (c *Counts) Add(status string) {
	c.Runs++
	switch status {
	case StatusFinished:
		c.Finished++
	case StatusDiverged:
		c.Diverged++
	case StatusFailed:
		c.Failed++
	case StatusSkipped:
		c.Skipped++
	case StatusOutOfTime:
		c.OutOfTime++
	case StatusOutOfMemory:
		c.OutOfMemory++
	}
}
