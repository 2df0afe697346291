-- name: CreateOrder :one
INSERT INTO orders (id, event, number, digest, trace, parent, cause, previous, refund)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
RETURNING *;

-- name: GetOrder :one
SELECT * FROM orders WHERE id = ?;

-- name: GetOrderByDigest :one
SELECT * FROM orders WHERE digest = ?;

-- name: ListOrders :many
SELECT * FROM orders WHERE id IN (sqlc.slice('ids')) ORDER BY id;

-- name: ListOrdersBetween :many
SELECT id FROM orders WHERE id BETWEEN sqlc.arg('from') AND sqlc.arg('to') ORDER BY id;

-- name: ListOrdersOfParent :many
SELECT id FROM orders WHERE parent = ? ORDER BY id;
