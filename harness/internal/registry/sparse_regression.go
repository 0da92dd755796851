package registry

// sparseRegression are the methods built on support vector regression and on
// other quadratic programs: Osuna & Girosi, Zhan & Shen, and the ramp loss.
var sparseRegression []sparseEntry
