package registry

import "fmt"

// check implements algorithm.
func (a sparseEntry) check(values map[string]any) error {
	p := Params(values)
	n := a.needed(p)
	for _, err := range []error{
		checkKernel(p), a.checkInputs(n, p), checkAlwaysBiased(a.ID, a.bias, p),
		checkRegulariser(a.ID, n.Reference || n.C || n.Nu || n.R, a.converts(p), p),
	} {
		if err != nil {
			return err
		}
	}
	if a.checks != nil {
		return a.checks(p)
	}
	return nil
}

// checkInputs reports a kernel whose input space has no pre-images.
func (a sparseEntry) checkInputs(n SparseNeeds, p Params) error {
	if name := p.Text("kernel"); n.Inputs && name != "gaussian" {
		return fmt.Errorf("%s works in the input space of the gaussian kernel, and the kernel is %s; set kernel: gaussian, or use a method that sees kernel values only", a.ID, name)
	}
	return nil
}
