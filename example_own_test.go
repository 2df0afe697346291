package ids_test

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/oneclock/ids"
)

// UserID is the ID of a user. It has all methods of a UUID, and is written and read like a UUID.
// GORM treats a list of UserIDs as a list of IDs only in a condition: db.Find(&rows, "id IN ?",
// list).
type UserID struct{ ids.UUID }

func NewUserID() UserID { return UserID{ids.NewV7()} }

func ParseUserID(s string) (UserID, error) {
	u, err := ids.ParseUUID(s)
	return UserID{u}, err
}

// A type of your own can embed an ID.
func Example_ownType() {
	user, err := ParseUserID("017f22e2-79b0-7cc3-98c4-dc0c0c07398f")
	if err != nil {
		panic(err)
	}
	at, _ := user.Time()
	fmt.Println(user, at)

	// A Null and a pointer are null in JSON and NULL in a database, and omitzero leaves both out.
	type account struct {
		Owner   UserID           `json:"owner"`
		Parent  ids.Null[UserID] `json:"parent"`
		Editor  *UserID          `json:"editor"`
		Auditor UserID           `json:"auditor,omitzero"`
		Logins  map[UserID]int   `json:"logins"`
	}
	b, err := json.Marshal(account{Owner: user, Logins: map[UserID]int{user: 3}})
	fmt.Println(string(b), err)

	// This is the value that db.Exec writes and rows.Scan reads.
	column, err := user.Value()
	fmt.Printf("%T %[1]v %v\n", column, err)
	var found UserID
	err = found.Scan(column)
	fmt.Println(found == user, err)

	// The methods of the embedded ID take and return IDs of the embedded type.
	users := []UserID{NewUserID(), user}
	slices.SortFunc(users, func(a, b UserID) int { return a.Compare(b.UUID) })
	fmt.Println(users[0])
	// Output:
	// 017f22e2-79b0-7cc3-98c4-dc0c0c07398f 2022-02-22 19:22:22 +0000 UTC
	// {"owner":"017f22e2-79b0-7cc3-98c4-dc0c0c07398f","parent":null,"editor":null,"logins":{"017f22e2-79b0-7cc3-98c4-dc0c0c07398f":3}} <nil>
	// string 017f22e2-79b0-7cc3-98c4-dc0c0c07398f <nil>
	// true <nil>
	// 017f22e2-79b0-7cc3-98c4-dc0c0c07398f
}
