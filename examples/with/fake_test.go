package with

import (
	"testing"

	"github.com/brianvoe/gofakeit/v7"
	"github.com/go-faker/faker/v4"
	"github.com/oneclock/ids/uuid"
)

// Both fill an id with 16 random bytes, so with any version and variant, and leave out a field that says so.
func TestFakes(t *testing.T) {
	type row struct {
		Random uuid.UUID
		Own    uuid.UUID `fake:"skip" faker:"-"`
	}
	fakeit := gofakeit.New(1)
	for name, fill := range map[string]func(*row) error{
		"gofakeit": func(r *row) error { return fakeit.Struct(r) },
		"faker":    func(r *row) error { return faker.FakeData(r) },
	} {
		random := 0
		for range 100 {
			r := row{Own: id}
			must(t, fill(&r))
			equal(t, r.Own, id)
			if r.Random.Version() != 4 {
				random++
			}
		}
		if random < 50 { // 1 of 16 would be of version 4 by chance
			t.Errorf("%s: %d of 100 ids are not of version 4: say so on the page", name, random)
		}
	}
}
