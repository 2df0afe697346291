package main

// This file implements the store interface for etcd.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"go.etcd.io/etcd/client/pkg/v3/transport"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/oneclock/ids"
	"github.com/oneclock/ids/nodelease"
	"github.com/oneclock/ids/nodelease/etcdstore"
	"github.com/oneclock/ids/nodelease/internal/etcdkeys"
)

type etcd struct {
	*options
	client *clientv3.Client
	config clientv3.Config
	found  []string // faults of the servers
}

func openEtcd(ctx context.Context, o *options) (store, error) {
	variable := func(name string) string { return os.Getenv("ETCDCTL_" + name) }
	endpoints := strings.Split(cmp.Or(o.url, variable("ENDPOINTS")), ",")
	if strings.Contains(strings.Join(endpoints, ""), "@") {
		return nil, errors.New("an etcd endpoint cannot contain a user or a password; set ETCDCTL_USER and ETCDCTL_PASSWORD")
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
	e := &etcd{o, client, config, nil}
	var voters []string // members that serve requests
	for _, endpoint := range client.Endpoints() {
		if e.checkMember(ctx, endpoint) {
			voters = append(voters, endpoint)
		}
	}
	if len(voters) == 0 {
		client.Close()
		return nil, errors.New(strings.Join(e.found, "; "))
	}
	client.SetEndpoints(voters...)
	return e, nil
}

// forgets tries a password login in which the client also sends an unknown token. It reports
// whether the servers reject the login because of that token.
func forgets(ctx context.Context, config clientv3.Config) bool {
	user, password := config.Username, config.Password
	if user == "" || password == "" {
		return false
	}
	config.Username, config.Password, config.Token = "", "", "unknown"
	client, err := clientv3.New(config)
	if err != nil {
		return false
	}
	defer client.Close()
	_, err = client.Authenticate(ctx, user, password)
	return errors.Is(err, rpctypes.ErrInvalidAuthToken)
}

// checkMember records the faults of the member at endpoint and reports whether that member serves
// requests.
func (e *etcd) checkMember(ctx context.Context, endpoint string) bool {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	record := func(format string, value any) {
		e.found = append(e.found, fmt.Sprintf("the member "+endpoint+format, value))
	}
	conn, err := e.client.Dial(endpoint)
	if err != nil {
		record(" does not answer: %v", err)
		return false
	}
	defer conn.Close()
	status, err := etcdkeys.Status(ctx, pb.NewMaintenanceClient(conn))
	if err != nil {
		record(" does not answer: %v", err)
		return false
	}
	for _, text := range status.Errors {
		record(": %s", text)
	}
	if status.IsLearner {
		record(" is a learner, which refuses requests of minters%s; remove it from their endpoints", "")
	}
	return !status.IsLearner
}

func (e *etcd) close() { e.client.Close() }

func (e *etcd) init(ctx context.Context, layout ids.SnowflakeLayout) error {
	return etcdstore.Init(ctx, e.client, &etcdstore.Options{Prefix: e.prefix, Numbers: e.numbers, Layout: layout})
}

func (e *etcd) read(ctx context.Context) (*contents, error) {
	all, err := etcdkeys.Read(ctx, e.client, e.prefix, 0, math.MaxInt64, math.MaxInt64)
	if err != nil {
		return nil, fmt.Errorf("read the keys below %s: %w", e.prefix, err)
	}
	c := &contents{place: etcdkeys.Schema(e.prefix), header: all.Header, now: time.Now()}
	for _, which := range slices.Sorted(maps.Keys(all.Rows)) {
		k := all.Rows[which]
		n := number{number: k.Number, horizon: k.Horizon, missing: k.Version == 0}
		if k.Owner != nil {
			n.holder, n.expires = cmp.Or(string(k.Owner.Value), "unknown"), c.now.AddDate(10, 0, 0)
			if k.Owner.Lease != 0 {
				lease, err := e.client.TimeToLive(ctx, clientv3.LeaseID(k.Owner.Lease))
				if err != nil {
					return nil, fmt.Errorf("read the lease of number %d: %w", n.number, err)
				}
				n.expires = c.now.Add(time.Duration(lease.TTL) * time.Second)
			}
		}
		c.numbers = append(c.numbers, n)
	}
	return c, nil
}

func (e *etcd) settings(ctx context.Context) ([]string, error) {
	if forgets(ctx, e.config) {
		e.found = append(e.found, "the servers refuse the password of a client whose token they have forgotten, as etcd 3.4 does; "+
			"after they restart, processes never have IDs, so use etcd 3.5")
	}
	_, err := etcdkeys.Header(ctx, e.client, e.prefix, e.numbers)
	if errors.Is(err, nodelease.ErrRefused) {
		return append(e.found, err.Error()), nil
	}
	return e.found, err
}
