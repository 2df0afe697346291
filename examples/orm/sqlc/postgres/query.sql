-- name: CreateOrder :one
INSERT INTO orders (id, event, number, parent, cause, previous)
VALUES ($1, $2, $3, $4, $5, $6)
RETURNING *;

-- name: CopyOrders :copyfrom
INSERT INTO orders (id, event, number, parent, cause, previous)
VALUES ($1, $2, $3, $4, $5, $6);

-- name: GetOrder :one
SELECT * FROM orders WHERE id = $1;

-- name: ListOrders :many
SELECT * FROM orders WHERE id = ANY(sqlc.arg('ids')::uuid[]) ORDER BY id;

-- name: ListOrdersBetween :many
SELECT id FROM orders WHERE id BETWEEN sqlc.arg('from') AND sqlc.arg('to') ORDER BY id;
