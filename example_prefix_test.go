package ids_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/oneclock/ids"
)

// Prefixed is a UUID whose text is that of TypeID 0.3: the prefix of its kind, an underscore and 26
// digits of Crockford's Base32 in lower case. Databases store it as a plain UUID.
type Prefixed[K Kind] struct{ ids.UUID }

// Kind is a kind of things with ids. Its prefix is at most 63 lower-case letters and underscores, and
// begins and ends with a letter. It may be empty, and then has no underscore after it.
type Kind interface{ Prefix() string }

func NewPrefixed[K Kind]() Prefixed[K] { return Prefixed[K]{ids.NewV7()} }

// appendPrefix appends what comes before the digits.
func (Prefixed[K]) appendPrefix(b []byte) []byte {
	var kind K
	if prefix := kind.Prefix(); prefix != "" {
		return append(append(b, prefix...), '_')
	}
	return b
}

func (p Prefixed[K]) AppendText(b []byte) ([]byte, error) {
	return append(p.appendPrefix(b), strings.ToLower(p.ULID().String())...), nil
}

func (p Prefixed[K]) MarshalText() ([]byte, error) { return p.AppendText(nil) }

func (p Prefixed[K]) String() string {
	b, _ := p.AppendText(nil)
	return string(b)
}

func (p *Prefixed[K]) UnmarshalText(text []byte) error {
	prefix := string(p.appendPrefix(nil))
	digits, ok := strings.CutPrefix(string(text), prefix)
	if !ok || digits != strings.ToLower(digits) {
		return fmt.Errorf("want %q and 26 digits in lower case: %w", prefix, ids.ErrSyntax)
	}
	u, err := ids.ParseULID(digits)
	if err != nil {
		return fmt.Errorf("after %q: %w", prefix, err)
	}
	p.UUID = u.UUID()
	return nil
}

type (
	user    struct{}
	invoice struct{}
)

func (user) Prefix() string    { return "user" }
func (invoice) Prefix() string { return "invoice" }

// A prefix says of what kind an id is, wherever it is seen, and an id of another kind is refused.
func Example_prefix() {
	type bill struct {
		Invoice Prefixed[invoice]        `json:"invoice"`
		User    Prefixed[user]           `json:"user"`
		Payer   ids.Null[Prefixed[user]] `json:"payer"`
	}
	var b bill
	err := json.Unmarshal([]byte(`{"invoice": "invoice_01h455vb4pex5vsknk084sn02q", "user": "user_01h455vb4pf0cttv1ysd4n9fnt"}`), &b)
	fmt.Println(b.Invoice, b.User, err)

	err = json.Unmarshal([]byte(`{"user": "invoice_01h455vb4pex5vsknk084sn02q"}`), &b)
	fmt.Println(err)

	column, err := b.User.Value() // what db.Exec writes, and rows.Scan reads
	fmt.Println(column, err)
	// Output:
	// invoice_01h455vb4pex5vsknk084sn02q user_01h455vb4pf0cttv1ysd4n9fnt <nil>
	// want "user_" and 26 digits in lower case: invalid syntax
	// 01890a5d-ac96-7819-ad6c-3ecb4954beba <nil>
}
