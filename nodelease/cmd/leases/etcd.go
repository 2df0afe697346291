package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"go.etcd.io/etcd/client/pkg/v3/transport"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/nodelease/etcdstore"
)

type etcd struct {
	*options
	client *clientv3.Client
}

func openEtcd(ctx context.Context, o *options) (store, error) {
	variable := func(name string) string { return os.Getenv("ETCDCTL_" + name) }
	endpoints := strings.Split(cmp.Or(o.url, variable("ENDPOINTS")), ",")
	if strings.Contains(strings.Join(endpoints, ""), "@") {
		return nil, errors.New("an endpoint of etcd has no user and no password: set ETCDCTL_USER and ETCDCTL_PASSWORD")
	}
	user, password, _ := strings.Cut(variable("USER"), ":")
	config := clientv3.Config{
		Context: ctx, Endpoints: endpoints, DialTimeout: 5 * time.Second, Logger: zap.NewNop(),
		Username: user, Password: cmp.Or(variable("PASSWORD"), password),
	}
	info := transport.TLSInfo{TrustedCAFile: variable("CACERT"), CertFile: variable("CERT"), KeyFile: variable("KEY")}
	info.InsecureSkipVerify, _ = strconv.ParseBool(variable("INSECURE_SKIP_TLS_VERIFY"))
	if !info.Empty() || info.TrustedCAFile != "" || info.InsecureSkipVerify {
		tls, err := info.ClientConfig()
		if err != nil {
			return nil, err
		}
		config.TLS = tls
	}
	client, err := clientv3.New(config)
	if err != nil {
		return nil, fmt.Errorf("connect to etcd: %w", err)
	}
	return &etcd{o, client}, nil
}

func (e *etcd) close() { e.client.Close() }

func (e *etcd) init(_ context.Context, layout ids.SnowflakeLayout) error {
	_, err := etcdstore.New(e.client, &etcdstore.Options{Prefix: e.prefix, Nodes: e.nodes, Init: true, Layout: layout})
	return err
}

func (e *etcd) read(ctx context.Context) (*contents, error) {
	c := &contents{place: path.Join(e.prefix, "schema"), now: time.Now()}
	owners, marks := path.Join(e.prefix, "owner")+"/", path.Join(e.prefix, "mark")+"/"
	resp, err := e.client.Txn(ctx).Then(
		clientv3.OpGet(c.place), clientv3.OpGet(owners, clientv3.WithPrefix()), clientv3.OpGet(marks, clientv3.WithPrefix()),
	).Commit()
	if err != nil {
		return nil, fmt.Errorf("read the keys below %s: %w", e.prefix, err)
	}
	for _, kv := range resp.Responses[0].GetResponseRange().Kvs {
		c.header = string(kv.Value)
	}
	numbers := map[int64]number{}
	for _, kv := range resp.Responses[2].GetResponseRange().Kvs {
		n, err := strconv.ParseInt(string(kv.Key[len(marks):]), 10, 64)
		if err != nil {
			continue // a key of somebody else's
		}
		found := number{node: n}
		if err := found.mark.UnmarshalText(kv.Value); err != nil {
			return nil, fmt.Errorf("the mark %s: %w", kv.Key, err)
		}
		numbers[n] = found
	}
	for _, kv := range resp.Responses[1].GetResponseRange().Kvs {
		n, err := strconv.ParseInt(string(kv.Key[len(owners):]), 10, 64)
		if err != nil {
			continue
		}
		found, marked := numbers[n]
		found.node, found.missing = n, !marked
		found.holder, found.expires = cmp.Or(string(kv.Value), "unknown"), c.now.AddDate(10, 0, 0)
		if kv.Lease != 0 {
			lease, err := e.client.TimeToLive(ctx, clientv3.LeaseID(kv.Lease))
			if err != nil {
				return nil, fmt.Errorf("the lease of the number %d: %w", n, err)
			}
			found.expires = c.now.Add(time.Duration(lease.TTL) * time.Second)
		}
		numbers[n] = found
	}
	for _, n := range slices.Sorted(maps.Keys(numbers)) {
		c.numbers = append(c.numbers, numbers[n])
	}
	return c, nil
}

func (e *etcd) settings(ctx context.Context) (all []string, err error) {
	for _, endpoint := range e.client.Endpoints() {
		limited, cancel := context.WithTimeout(ctx, 3*time.Second)
		status, err := e.client.Status(limited, endpoint)
		cancel()
		if err != nil {
			all = append(all, fmt.Sprintf("the member %s does not answer: %v", endpoint, err))
			continue
		}
		for _, text := range status.Errors {
			all = append(all, fmt.Sprintf("the member %s: %s", endpoint, text))
		}
	}
	// A transaction that is never carried out: its writes are only compared with the rights.
	_, err = e.client.Txn(ctx).If(clientv3.Compare(clientv3.Version(path.Join(e.prefix, "schema")), "<", 0)).Then(
		clientv3.OpPut(path.Join(e.prefix, "mark", "00000"), ""), clientv3.OpDelete(path.Join(e.prefix, "owner", "00000")),
	).Commit()
	if errors.Is(err, rpctypes.ErrPermissionDenied) {
		return append(all, fmt.Sprintf("the user %s has no right to write the keys below %s", e.client.Username, e.prefix)), nil
	}
	return all, err
}
