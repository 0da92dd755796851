package spec

import "reflect"

// Config is the content of a user's own file config.yaml.
type Config struct {
	// External says whether the programs of external algorithms may be started: allow or
	// refuse, which is the default.
	External string `yaml:"external,omitempty" jsonschema:"enum=allow,enum=refuse"`
}

// LoadConfig reads such a file. Mistakes in it are returned as Errors.
func LoadConfig(file string) (c Config, err error) {
	data, err := ReadFile(file)
	if err != nil {
		return c, err
	}
	rep := &reporter{}
	n := parse(data, Position{File: file}, rep)
	switch {
	case n != nil && n.kind != mapping:
		rep.at(n.pos, "the lines of a configuration are a mapping of keys to values, got %s", n.describe())
	case n != nil:
		d := &decoder{rep: rep, places: map[string]place{"": {value: n.pos, key: n.pos}}}
		d.decode(n, reflect.ValueOf(&c).Elem(), path{})
	}
	return c, rep.err()
}
