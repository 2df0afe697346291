-- SQLite takes any word for a type, so each kind of id has its own, which sqlc.yaml maps to a Go type. What the words
-- contain matters: TEXT, INT or BLOB decides how SQLite stores a value. A type ULID without such a word would turn the
-- few ULIDs that look like a number into one.
CREATE TABLE orders (
    id       UUID_TEXT     NOT NULL PRIMARY KEY,
    event    ULID_TEXT     NOT NULL,
    number   SNOWFLAKE_INT NOT NULL,
    digest   UUID_BLOB     NOT NULL,
    trace    ULID_BLOB     NOT NULL,
    parent   UUID_TEXT,
    cause    ULID_TEXT,
    previous SNOWFLAKE_INT,
    refund   UUID_BLOB
);
