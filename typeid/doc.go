// Package typeid gives ids a prefix that names their kind, for example user_01h455vb4pf0cttv1ysd4n9fnt, in the
// format of [TypeID] 0.3. An id is a UUID, and only its text has the prefix. Each kind is a type of its own:
//
//	type user struct{}
//
//	func (user) Prefix() string { return "user" }
//
//	type UserID = typeid.ID[user]
//
// The compiler keeps ids of different kinds apart, and a decoder refuses the text of another kind, except
// that Scan also takes a UUID without a prefix. For a column or a field that may be absent there is [Null],
// here typeid.Null[user]. Where prefixes are known only at run time, [Join] writes and [Split] reads
// the text.
//
// # Databases
//
// Value returns the UUID as text, without the prefix, for columns of a type uuid or of 36 characters. For a column
// of 16 bytes pass id.UUID().Binary(), and for one of prefixed text id.String(). Scan reads all of these. The Go
// packages of TypeID's authors (their versions 1 and 2) write the prefixed text, and read only such a string. Scan
// reads a column that they have filled, but Value writes another text, which no condition on this column will
// match.
//
// # Errors
//
// The errors of all decoders and of [Join] match [ids.ErrSyntax], [ids.ErrLength] or [ids.ErrRange]. They do not
// repeat the input. Except where Scan refuses the type of a value, they cost no allocation, and have the methods
// of an [ids.ParseError], though they are of another type: Scheme returns "TypeID", and Offset counts from the
// beginning of the text; [errors.As] finds them with a target of type interface{ Offset() (offset int, ok bool) }. If a
// [Null] is read from JSON that holds no text, the error is an ids.ParseError.
//
// An invalid prefix of a [Kind] is a mistake of the program: [New], [From], String and GoString panic,
// and AppendText, MarshalText and decoders of prefixed text return an error that matches none of these.
// UnmarshalBinary, and Scan of a UUID, need no prefix and do not check it. Have a test call [CheckPrefix] for
// each kind.
//
// [TypeID]: https://github.com/jetify-com/typeid/tree/main/spec
package typeid
