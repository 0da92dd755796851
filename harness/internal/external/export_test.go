package external

// Folder returns the working directory of the program.
func (p *Process) Folder() string { return p.dir }
