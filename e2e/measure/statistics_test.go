package measure

import "testing"

func TestQuantile(t *testing.T) {
	for name, test := range map[string]struct {
		values []float64
		q      float64
		want   float64
	}{
		"the one value":             {[]float64{7}, 0.99, 7},
		"the middle of three":       {[]float64{3, 1, 2}, 0.5, 2},
		"the greater one of two":    {[]float64{3, 1}, 0.5, 3},
		"the least":                 {[]float64{3, 1, 2}, 0, 1},
		"the greatest":              {[]float64{3, 1, 2}, 1, 3},
		"a share that falls inside": {[]float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 0.75, 8},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Quantile(test.values, test.q); got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

func TestSlope(t *testing.T) {
	for name, test := range map[string]struct {
		at, values []float64
		want       float64
	}{
		"values that grow steadily":          {[]float64{0, 10, 20}, []float64{5, 25, 45}, 2},
		"values that stay":                   {[]float64{0, 1, 2, 3}, []float64{4, 4, 4, 4}, 0},
		"one that is far off changes little": {[]float64{0, 1, 2, 3, 4, 5, 6}, []float64{4, 4, 4, 900, 4, 4, 4}, 0},
		"a fall":                             {[]float64{0, 2, 4}, []float64{8, 4, 0}, -2},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Slope(test.at, test.values); got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}
