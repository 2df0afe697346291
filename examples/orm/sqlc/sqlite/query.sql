-- name: CreateOrder :one
INSERT INTO orders (id, event, number, digest, trace, parent, cause, previous, refund)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
RETURNING *;

-- name: ListOrders :many
SELECT * FROM orders WHERE id IN (sqlc.slice('ids')) ORDER BY id;
