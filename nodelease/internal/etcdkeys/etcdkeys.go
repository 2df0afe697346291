// Package etcdkeys reads what a store in etcd keeps, for package etcdstore and for the command leases.
package etcdkeys

import (
	"context"
	"fmt"
	"path"
	"strconv"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// Number is a node number that has a mark, an owner, or both.
type Number struct {
	Node    int64
	Mark    time.Time
	Version int64            // mod revision of the mark, 0 if it is missing
	Owner   *mvccpb.KeyValue // nil if there is none
}

// Schema returns the key of the header.
func Schema(prefix string) string { return path.Join(prefix, "schema") }

// Key returns the key of a number's mark or owner, which kind says.
func Key(prefix, kind string, node int64) string { return below(prefix, kind) + digits(node) }

func below(prefix, kind string) string { return path.Join(prefix, kind) + "/" }
func digits(node int64) string         { return fmt.Sprintf("%05d", node) }

// Read returns the header, empty if it is missing, and all numbers below nodes, as of one revision. The options are for
// reading the owners.
func Read(ctx context.Context, client *clientv3.Client, prefix string, nodes int64, owners ...clientv3.OpOption) (header string, all map[int64]Number, err error) {
	resp, err := client.Txn(ctx).Then(
		clientv3.OpGet(Schema(prefix)),
		clientv3.OpGet(below(prefix, "mark"), clientv3.WithPrefix()),
		clientv3.OpGet(below(prefix, "owner"), append(owners, clientv3.WithPrefix())...),
	).Commit()
	if err != nil {
		return "", nil, err
	}
	for _, kv := range resp.Responses[0].GetResponseRange().Kvs {
		header = string(kv.Value)
	}
	all = map[int64]Number{}
	for i, kind := range []string{"mark", "owner"} {
		dir := below(prefix, kind)
		for _, kv := range resp.Responses[i+1].GetResponseRange().Kvs {
			node, err := strconv.ParseInt(string(kv.Key[len(dir):]), 10, 64)
			if err != nil || node < 0 || node >= nodes || string(kv.Key) != dir+digits(node) {
				continue // somebody else's
			}
			n := all[node]
			n.Node = node
			if kind == "owner" {
				n.Owner = kv
			} else if n.Version = kv.ModRevision; n.Mark.UnmarshalText(kv.Value) != nil {
				return "", nil, fmt.Errorf("the mark %s is no time: %q", kv.Key, kv.Value)
			}
			all[node] = n
		}
	}
	return header, all, nil
}
