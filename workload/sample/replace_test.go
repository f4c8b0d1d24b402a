package sample

import "testing"

func TestEachValueCanBeReplaced(t *testing.T) {
	const object = `{"a": [1, {"b":"c"}], "d":null}`
	want := []string{
		`7`, `{"a": 7, "d":null}`, `{"a": [7, {"b":"c"}], "d":null}`, `{"a": [1, 7], "d":null}`, `{"a": [1, {"b":7}], "d":null}`, `{"a": [1, {"b":"c"}], "d":7}`, `7`,
	}
	for i, want := range want {
		if got := string(Replaced([]byte(object), uint(i), []byte("7"))); got != want {
			t.Errorf("%d: got %s, want %s", i, got, want)
		}
	}
	if got := string(Replaced([]byte(`[0]`), 1, []byte("x"))); got != `["x"]` {
		t.Errorf("what is no JSON is %s", got)
	}
	if got := string(Replaced([]byte(object), 1, nil)); got != object {
		t.Errorf("nothing made it %s", got)
	}
}
