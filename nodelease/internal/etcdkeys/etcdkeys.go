// Package etcdkeys reads what a store in etcd keeps, for package etcdstore and for the command leases.
package etcdkeys

import (
	"context"
	"fmt"
	"path"
	"strconv"
	"strings"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// Row is a number that has a horizon, an owner, or both.
type Row struct {
	Number  int64
	Horizon time.Time
	Version int64            // mod revision of the horizon, 0 if it is missing
	Owner   *mvccpb.KeyValue // nil if there is none
}

// Schema returns the key of the header.
func Schema(prefix string) string { return path.Join(prefix, "schema") }

// Key returns the key of a number's horizon or owner, which kind says.
func Key(prefix, kind string, number int64) string { return Below(prefix, kind) + digits(number) }

// Below returns what all keys of a kind begin with.
func Below(prefix, kind string) string { return path.Join(prefix, kind) + "/" }

func digits(number int64) string { return fmt.Sprintf("%05d", number) }

// Read returns the header, empty if it is missing, and all numbers below numbers, as of one revision. The options are
// for reading the owners.
func Read(ctx context.Context, client *clientv3.Client, prefix string, numbers int64, owners ...clientv3.OpOption) (header string, all map[int64]Row, err error) {
	resp, err := client.Txn(ctx).Then(
		clientv3.OpGet(Schema(prefix)),
		clientv3.OpGet(Below(prefix, "horizon"), clientv3.WithPrefix()),
		clientv3.OpGet(Below(prefix, "owner"), append(owners, clientv3.WithPrefix())...),
	).Commit()
	if err != nil {
		return "", nil, err
	}
	for _, kv := range resp.Responses[0].GetResponseRange().Kvs {
		header = string(kv.Value)
	}
	all = map[int64]Row{}
	for i, kind := range []string{"horizon", "owner"} {
		dir := Below(prefix, kind)
		for _, kv := range resp.Responses[i+1].GetResponseRange().Kvs {
			number, err := strconv.ParseInt(string(kv.Key[len(dir):]), 10, 64)
			if err != nil || number < 0 || number >= numbers || string(kv.Key) != dir+digits(number) {
				continue // somebody else's
			}
			r := all[number]
			r.Number = number
			if kind == "owner" {
				r.Owner = kv
			} else if r.Version = kv.ModRevision; r.Horizon.UnmarshalText(kv.Value) != nil {
				return "", nil, fmt.Errorf("the horizon %s is no time: %q", kv.Key, kv.Value)
			}
			all[number] = r
		}
	}
	return header, all, nil
}

// Status asks the member that c leads to for its state, and says why if there is no answer: where clientv3 has no
// connection, it says only that the time is over.
func Status(ctx context.Context, c pb.MaintenanceClient) (*pb.StatusResponse, error) {
	s, err := c.Status(ctx, &pb.StatusRequest{})
	if err != nil && strings.Contains(err.Error(), "server preface") {
		err = fmt.Errorf("%w (the client does not speak TLS: do the servers?)", err)
	}
	return s, err
}
