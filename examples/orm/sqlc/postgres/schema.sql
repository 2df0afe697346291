CREATE TABLE orders (
    id       uuid   NOT NULL PRIMARY KEY,
    event    text   COLLATE "C" NOT NULL,
    number   bigint NOT NULL,
    parent   uuid,
    cause    text   COLLATE "C",
    previous bigint
);
