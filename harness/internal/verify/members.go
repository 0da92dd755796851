package verify

import "encoding/json"

// members returns the members of a value as JSON, by their names; none if it is no object.
func members(v any) map[string]string {
	out := make(map[string]string)
	parts := make(map[string]json.RawMessage)
	text, err := json.Marshal(v)
	if err != nil || json.Unmarshal(text, &parts) != nil {
		return out
	}
	for name, part := range parts {
		out[name] = string(part)
	}
	return out
}
