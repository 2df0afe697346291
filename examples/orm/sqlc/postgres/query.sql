-- name: CreateOrder :one
INSERT INTO orders (id, event, number, parent, cause, previous)
VALUES ($1, $2, $3, $4, $5, $6)
RETURNING *;

-- name: ListOrders :many
SELECT * FROM orders WHERE id = ANY(sqlc.arg('ids')::uuid[]) ORDER BY id;
