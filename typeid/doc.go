// Package typeid gives IDs a prefix that names their kind, as in user_01h455vb4pf0cttv1ysd4n9fnt.
// It implements [TypeID] 0.3. An ID is a UUID, and only its text has the prefix. Each kind has its
// own type:
//
//	type user struct{}
//
//	func (user) Prefix() string { return "user" }
//
//	type UserID = typeid.ID[user]
//
// The compiler prevents confusion between IDs of different kinds, and decoders reject the text of
// an ID of another kind. (Scan also reads a UUID without a prefix.) For a column or a field that
// may be absent, use [Null], which is typeid.Null[user] in this example. For prefixes that are
// known only at run time, use [Join] and [Split].
//
// # Databases
//
// The value to pass for a column, and in a condition on that column, depends on the column's type:
//
//   - For a column of type uuid or of 36 characters, pass the ID itself. It is written as the text
//     of its UUID.
//   - For a column of 16 bytes, pass id.UUID().Binary().
//   - For a column of prefixed text, as written by the Go packages of TypeID's authors, pass
//     id.String(). A condition with the ID itself matches no row.
//
// Scan reads values from all three kinds of columns.
//
// # Errors
//
// The errors from decoders and from [Join] match [ids.ErrSyntax], [ids.ErrLength] or
// [ids.ErrRange], and do not contain the input. They have the methods of an [ids.ParseError], but a
// different type. Their Scheme is "TypeID", and their Offset counts from the beginning of the text.
// To find them with [errors.As], use a target of type interface{ Offset() (offset int, ok bool) }.
// The error from Scan for a value of an unsupported type does not have these methods.
//
// An invalid prefix of a [Kind] is a programming error. If a prefix is invalid, [New], [From],
// String and GoString panic, and AppendText, MarshalText and decoders of prefixed text return an
// error that matches none of the errors above. UnmarshalBinary neither needs nor checks the prefix.
// Scan does not need or check the prefix when it reads a UUID. In a test, call [CheckPrefix] once
// for each kind.
//
// [TypeID]: https://github.com/jetify-com/typeid/tree/main/spec
package typeid
