package registry

// check implements algorithm.
func (a sparseEntry) check(values map[string]any) error {
	p := Params(values)
	if err := checkKernel(p); err != nil {
		return err
	}
	if a.checks != nil {
		return a.checks(p)
	}
	return nil
}
