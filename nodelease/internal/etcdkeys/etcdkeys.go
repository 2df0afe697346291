// Package etcdkeys reads the keys of a store in etcd, and checks the permissions of the client's
// user. Package etcdstore and the leases command use it.
package etcdkeys

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/oneclock/ids/nodelease/internal/faults"
)

// Row describes a number that has a horizon, an owner or both.
type Row struct {
	Number  int64
	Horizon time.Time
	Version int64            // mod revision of the horizon; 0 if it is missing
	Owner   *mvccpb.KeyValue // nil if there is none
}

// Schema returns the key under which a store keeps its header.
func Schema(prefix string) string { return path.Join(prefix, "schema") }

// Key returns the key of a number's horizon if kind is "horizon", or the key of the number's owner
// if kind is "owner".
func Key(prefix, kind string, number int64) string { return Below(prefix, kind) + digits(number) }

// Below returns the prefix of all keys of the given kind.
func Below(prefix, kind string) string { return path.Join(prefix, kind) + "/" }

func digits(number int64) string { return fmt.Sprintf("%05d", number) }

// maxRange is the first number whose key has six digits. From that number on, keys are not sorted
// by their numbers.
const maxRange = 100_000

// keys returns the key range of the given kind for the numbers from first to end-1. The range may
// include other keys.
func keys(prefix, kind string, first, end int64) (key, last string) {
	if end > maxRange {
		return Below(prefix, kind), clientv3.GetPrefixRangeEnd(Below(prefix, kind))
	}
	return Key(prefix, kind, first), Key(prefix, kind, end)
}

// Refused returns err. If the servers refuse the user, the returned error also matches
// [nodelease.ErrRefused], because a retry would fail, too.
func Refused(err error) error {
	for _, refused := range []error{rpctypes.ErrPermissionDenied, rpctypes.ErrUserEmpty, rpctypes.ErrAuthFailed} {
		if errors.Is(rpctypes.Error(err), refused) {
			return faults.Refused(err)
		}
	}
	return err
}

// Header returns the header of a store, or "" if there is none. Header also checks the permissions
// of the client's user. The error matches [nodelease.ErrRefused] if the user may not read the
// header, may not read the keys of the numbers from 0 to numbers-1, or may not write the keys of
// number 0. Header also returns an error if the servers accept no writes.
func Header(ctx context.Context, client *clientv3.Client, prefix string, numbers int64) (string, error) {
	reads := []clientv3.Op{clientv3.OpGet(Schema(prefix))}
	for _, kind := range []string{"horizon", "owner"} {
		key, last := keys(prefix, kind, 0, numbers)
		reads = append(reads, clientv3.OpGet(key, clientv3.WithRange(last), clientv3.WithCountOnly()))
	}
	// The writes are never carried out. The servers only check whether the user may make these
	// writes and whether there is enough space.
	resp, err := client.Txn(ctx).If(clientv3.Compare(clientv3.Version(Schema(prefix)), "<", 0)).Then(
		clientv3.OpPut(Key(prefix, "horizon", 0), ""), clientv3.OpPut(Key(prefix, "owner", 0), ""),
	).Else(reads...).Commit()
	switch {
	case errors.Is(err, rpctypes.ErrPermissionDenied):
		user := ""
		if client.Username != "" {
			user = " " + client.Username
		}
		return "", Refused(fmt.Errorf("the user%s needs the rights to read %s, and to read and write all keys below %s and %s: %w",
			user, Schema(prefix), Below(prefix, "horizon"), Below(prefix, "owner"), err))
	case err != nil:
		return "", Refused(fmt.Errorf("check the key %s and the user's rights: %w", Schema(prefix), err))
	}
	for _, kv := range resp.Responses[0].GetResponseRange().Kvs {
		return string(kv.Value), nil
	}
	return "", nil
}

// Contents contains the header and the numbers of a store, which are all read at one revision.
type Contents struct {
	Header         string        // empty if missing
	Rows           map[int64]Row // by number
	Horizons, Held int64         // number of horizons and number of owners
}

// Read returns the header and the numbers from first to end-1. It also counts the horizons and
// owners of the numbers from 0 to numbers-1. The options in owners apply only to the request that
// reads the owner keys.
func Read(ctx context.Context, client *clientv3.Client, prefix string, first, end, numbers int64, owners ...clientv3.OpOption) (*Contents, error) {
	get := func(kind string, first, end int64, options ...clientv3.OpOption) clientv3.Op {
		key, last := keys(prefix, kind, first, end)
		return clientv3.OpGet(key, append(options, clientv3.WithRange(last))...)
	}
	resp, err := client.Txn(ctx).Then(
		clientv3.OpGet(Schema(prefix)),
		get("horizon", first, end), get("owner", first, end, owners...),
		get("horizon", 0, numbers, clientv3.WithCountOnly()), get("owner", 0, numbers, clientv3.WithCountOnly()),
	).Commit()
	if err != nil {
		return nil, Refused(err)
	}
	got := func(i int) *clientv3.GetResponse {
		return (*clientv3.GetResponse)(resp.Responses[i].GetResponseRange())
	}
	c := &Contents{Rows: map[int64]Row{}, Horizons: got(3).Count, Held: got(4).Count}
	for _, kv := range got(0).Kvs {
		c.Header = string(kv.Value)
	}
	for i, kind := range []string{"horizon", "owner"} {
		dir := Below(prefix, kind)
		for _, kv := range got(i + 1).Kvs {
			number, err := strconv.ParseInt(string(kv.Key[len(dir):]), 10, 64)
			if err != nil || number < first || number >= end || string(kv.Key) != dir+digits(number) {
				continue // not a key of this store
			}
			r := c.Rows[number]
			r.Number = number
			if kind == "owner" {
				r.Owner = kv
			} else if r.Version = kv.ModRevision; r.Horizon.UnmarshalText(kv.Value) != nil {
				return nil, fmt.Errorf("the horizon %s is not a time: %q", kv.Key, kv.Value)
			}
			c.Rows[number] = r
		}
	}
	return c, nil
}

// Status asks the member to which c is connected for its status. If there is no answer, the error
// contains the reason. Without a connection, clientv3 itself would report only a timeout.
func Status(ctx context.Context, c pb.MaintenanceClient) (*pb.StatusResponse, error) {
	s, err := c.Status(ctx, &pb.StatusRequest{})
	// The text of a TLS error begins in the same way. Since TLS 1.3, a server refuses a client's
	// certificate only after the handshake, so the error occurs while the client waits for the
	// server preface.
	if err != nil && strings.Contains(err.Error(), "server preface") && !strings.Contains(err.Error(), "tls: ") {
		err = fmt.Errorf("%w (the client does not speak TLS: do the servers?)", err)
	}
	return s, err
}

// CheckPrefix returns an error if prefix is invalid. The error names Options.Prefix.
func CheckPrefix(prefix string) error {
	if !strings.HasPrefix(prefix, "/") {
		return fmt.Errorf("Options.Prefix %q does not begin with a slash", prefix)
	}
	return nil
}
