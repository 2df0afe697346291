// Package typeid gives ids a prefix that names their kind, for example user_01h455vb4pf0cttv1ysd4n9fnt, in the
// format of [TypeID] 0.3. An id is a UUID, and only its text has the prefix. Each kind is a type of its own:
//
//	type user struct{}
//
//	func (user) Prefix() string { return "user" }
//
//	type UserID = typeid.ID[user]
//
// The compiler keeps ids of different kinds apart, and decoders refuse the text of another kind. (Scan also reads a UUID
// without a prefix.) For a column or a field that may be absent there is [Null], here typeid.Null[user]. For prefixes known
// only at run time, see [Join] and [Split].
//
// # Databases
//
// What to pass for a column, in conditions too:
//
//   - of a type uuid, or of 36 characters: the id, which writes the text of its UUID
//   - of 16 bytes: id.UUID().Binary()
//   - of prefixed text, as the Go packages of TypeID's authors write it: id.String(). The id alone matches no row.
//
// Scan reads all three.
//
// # Errors
//
// The errors of decoders and of [Join] match [ids.ErrSyntax], [ids.ErrLength] or [ids.ErrRange], and do not contain the input.
// They have the methods of an [ids.ParseError], though they are of another type: Scheme returns "TypeID", and Offset counts
// from the beginning of the text. [errors.As] finds them with a target of type interface{ Offset() (offset int, ok bool) }.
// The error of Scan for a value of an unsupported type has no such methods.
//
// An invalid prefix of a [Kind] is a mistake of the program: [New], [From], String and GoString panic,
// and AppendText, MarshalText and decoders of prefixed text return an error that matches none of these.
// UnmarshalBinary, and Scan of a UUID, need no prefix and do not check it. Have a test call [CheckPrefix] for
// each kind.
//
// [TypeID]: https://github.com/jetify-com/typeid/tree/main/spec
package typeid
