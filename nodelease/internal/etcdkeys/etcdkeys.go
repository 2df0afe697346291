// Package etcdkeys reads what a store in etcd keeps, for package etcdstore and for the command leases.
package etcdkeys

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
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
func Key(prefix, kind string, node int64) string {
	return path.Join(prefix, kind, fmt.Sprintf("%05d", node))
}

// Read returns the header, empty if it is missing, and all numbers below nodes in ascending order, as of one revision.
func Read(ctx context.Context, client *clientv3.Client, prefix string, nodes int64) (header string, all []Number, err error) {
	kinds := [...]string{"mark", "owner"}
	gets := []clientv3.Op{clientv3.OpGet(Schema(prefix))}
	for _, kind := range kinds {
		gets = append(gets, clientv3.OpGet(path.Join(prefix, kind)+"/", clientv3.WithPrefix()))
	}
	resp, err := client.Txn(ctx).Then(gets...).Commit()
	if err != nil {
		return "", nil, err
	}
	for _, kv := range resp.Responses[0].GetResponseRange().Kvs {
		header = string(kv.Value)
	}
	found := map[int64]Number{}
	for i, kind := range kinds {
		for _, kv := range resp.Responses[i+1].GetResponseRange().Kvs {
			node, err := strconv.ParseInt(path.Base(string(kv.Key)), 10, 64)
			if err != nil || node < 0 || node >= nodes || string(kv.Key) != Key(prefix, kind, node) {
				continue // somebody else's
			}
			n := found[node]
			n.Node = node
			if kind == "owner" {
				n.Owner = kv
			} else if n.Version = kv.ModRevision; n.Mark.UnmarshalText(kv.Value) != nil {
				return "", nil, fmt.Errorf("the mark %s is no time: %q", kv.Key, kv.Value)
			}
			found[node] = n
		}
	}
	for _, node := range slices.Sorted(maps.Keys(found)) {
		all = append(all, found[node])
	}
	return header, all, nil
}
