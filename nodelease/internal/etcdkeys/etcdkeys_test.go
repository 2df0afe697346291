package etcdkeys_test

// A test of the hint about TLS.

import (
	"context"
	"errors"
	"strings"
	"testing"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"

	"github.com/oneclock/ids/nodelease/internal/etcdkeys"
)

// member is an etcd member that fails with err.
type member struct {
	pb.MaintenanceClient
	err error
}

func (m member) Status(context.Context, *pb.StatusRequest, ...grpc.CallOption) (*pb.StatusResponse, error) {
	return nil, m.err
}

// TestStatus tests errors of a client's connections. The hint is added only to the errors that a
// client without TLS gets.
func TestStatus(t *testing.T) {
	for text, hint := range map[string]bool{
		`connection error: desc = "error reading server preface: EOF"`:                                             true,
		`connection error: desc = "error reading server preface: http2: frame too large"`:                          true,
		`connection error: desc = "error reading server preface: remote error: tls: bad certificate"`:              false,
		`connection error: desc = "error reading server preface: remote error: tls: certificate required"`:         false,
		`connection error: desc = "transport: authentication handshake failed: tls: failed to verify certificate"`: false,
		`connection error: desc = "transport: Error while dialing: connection refused"`:                            false,
	} {
		why := errors.New(text)
		_, err := etcdkeys.Status(t.Context(), member{err: why})
		if !errors.Is(err, why) || strings.Contains(err.Error(), "(the client does not speak TLS: do the servers?)") != hint {
			t.Errorf("%s: error %v, want the hint %v", text, err, hint)
		}
	}
}
