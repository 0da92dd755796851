package registry

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// checkKernelMethod returns an error if the kernel, the bias or the regularisation is invalid for the
// method.
func checkKernelMethod(a *Algorithm, p Params) error {
	return cmp.Or(checkKernel(p), a.checkKernelSupport(p), a.checkBias(p), a.checkRegulariser(p))
}

// kernelParams lists the parameters of each kernel.
var kernelParams = map[string][]string{
	"gaussian":   {"sigma2", "gamma"},
	"linear":     nil,
	"polynomial": {"degree", "gamma", "coef0"},
}

func checkKernel(p Params) error {
	name := p.Text("kernel")
	for _, param := range [...]string{"sigma2", "gamma", "degree", "coef0"} {
		if p.has(param) && !slices.Contains(kernelParams[name], param) {
			return fmt.Errorf("%s is not a parameter of the %s kernel; "+
				"remove it, or, if other algorithms need it, move it to their with", param, name)
		}
	}
	switch sigma2, gamma := p.has("sigma2"), p.has("gamma"); {
	case name != "gaussian":
	case sigma2 && gamma:
		return errors.New("sigma2 and gamma are both set, but gamma is 1/(2 sigma2); remove one of them")
	case !sigma2 && !gamma:
		return errors.New("the gaussian kernel exp(-gamma |x-x'|^2) has no width: set sigma2, or gamma = 1/(2 sigma2)")
	}
	_, err := KernelOf(p)
	return err
}

// checkKernelSupport returns an error if the method does not support the kernel.
func (a *Algorithm) checkKernelSupport(p Params) error {
	switch name := p.Text("kernel"); {
	case a.Needs(p).Inputs && name != "gaussian":
		return fmt.Errorf("%s works in the input space of the gaussian kernel, but the kernel is %s; "+
			"set kernel: gaussian, or use a method for any kernel", a.ID, name)
	case a.kernel == "" || a.kernel == name:
		return nil
	case a.kernel == "linear":
		return fmt.Errorf("%s solves linear SVMs, but the kernel is %s; "+
			"set kernel: linear, or use a kernel method", a.ID, name)
	default:
		return fmt.Errorf("%s supports only the %s kernel, but the kernel is %s", a.ID, a.kernel, name)
	}
}

// checkBias returns an error if the method does not support problems with a bias, or without one.
func (a *Algorithm) checkBias(p Params) error {
	switch bias := p.Bool("bias"); {
	case bias && a.bias == withoutBias:
		var able []string
		for _, b := range svmTable {
			if b.bias != withoutBias {
				able = append(able, b.ID)
			}
		}
		return fmt.Errorf("bias: true, but %s has no unregularised bias; use one of %s", a.ID, strings.Join(able, ", "))
	case !bias && a.bias == withBias:
		return fmt.Errorf("bias: false, but %s always trains with an unregularised bias; set bias: true", a.ID)
	}
	return nil
}

// checkRegulariser returns an error if the regularisation is given in several forms, is needed but not
// given, or cannot be converted to the form that the method needs.
func (a *Algorithm) checkRegulariser(p Params) error {
	var given []string
	for _, name := range Regularisers {
		if p.has(name) {
			given = append(given, name)
		}
	}
	switch {
	case len(given) > 1:
		return fmt.Errorf("%s are forms of one parameter (C = 1/(lambda n)); set only one", strings.Join(given, " and "))
	case len(given) == 0 && a.Needs(p).regularised():
		return fmt.Errorf("the regularisation is missing: set one of %s", strings.Join(Regularisers, ", "))
	case a.Converts(p) && p.has("nu") && p.Float("nu") == 0:
		return fmt.Errorf("nu = 0 means a hard margin, which has no C, lambda or R; %s needs nu > 0", a.ID)
	}
	return nil
}

// checkSize returns an error for a working set of one coefficient in a problem with a bias.
func checkSize(p Params) error {
	if p.Bool("bias") && p.has("size") && p.Int("size") < 2 {
		return fmt.Errorf("size = %d, but with a bias coefficients change in pairs; set size: 2 or more", p.Int("size"))
	}
	return nil
}

// checkDraw returns an error for draw: pair in a problem without a bias.
func checkDraw(p Params) error {
	if p.Text("draw") == drawPair && !p.Bool("bias") {
		return fmt.Errorf("draw: %s is for problems with a bias; set bias: true or draw: %s", drawPair, drawOne)
	}
	return nil
}
