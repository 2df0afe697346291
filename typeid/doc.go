// Package typeid gives IDs a prefix that names their kind, for example
// user_01h455vb4pf0cttv1ysd4n9fnt, in the format of [TypeID] 0.3. An ID is a UUID, and only its
// text has the prefix. Each kind has its own type:
//
//	type user struct{}
//
//	func (user) Prefix() string { return "user" }
//
//	type UserID = typeid.ID[user]
//
// The compiler keeps IDs of different kinds apart, and decoders reject the text of another kind.
// (Scan also reads a UUID without a prefix.) For a column or a field that may be absent, use
// [Null], here typeid.Null[user]. For prefixes known only at run time, see [Join] and [Split].
//
// # Databases
//
// The value to pass for a column, also in conditions, depends on the column:
//
//   - type uuid, or 36 characters: the ID itself, which writes its UUID as text
//   - 16 bytes: id.UUID().Binary()
//   - prefixed text, as written by the Go packages of TypeID's authors: id.String(). The ID itself
//     matches no row.
//
// Scan reads all three.
//
// # Errors
//
// The errors of decoders and of [Join] match [ids.ErrSyntax], [ids.ErrLength] or [ids.ErrRange],
// and do not contain the input. They have the methods of an [ids.ParseError], but a different type.
// Scheme returns "TypeID", and Offset counts from the beginning of the text. [errors.As] finds them
// with a target of type interface{ Offset() (offset int, ok bool) }. The error of Scan for a value
// of an unsupported type has no such methods.
//
// An invalid prefix of a [Kind] is a programming error. [New], [From], String and GoString panic,
// and AppendText, MarshalText and decoders of prefixed text return an error that matches none of
// the errors above. UnmarshalBinary, and Scan of a UUID, do not need the prefix and do not check
// it. Call [CheckPrefix] in a test for each kind.
//
// [TypeID]: https://github.com/jetify-com/typeid/tree/main/spec
package typeid
