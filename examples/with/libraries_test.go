package with

import (
	"context"
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"io"
	"testing"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/oneclock/ids/examples/internal/must"
	"github.com/oneclock/ids/uuid"
	"github.com/vmihailenco/msgpack/v5"
)

// TestLibraries sends orders through each library and compares the results. IDs need no code beyond
// what is here.
func TestLibraries(t *testing.T) {
	for name, trip := range map[string]func(in order, out *order) error{
		"msgpack":          encoded(msgpack.Marshal, msgpack.Unmarshal),
		"dynamodb":         encoded(attributevalue.Marshal, attributevalue.Unmarshal),
		"dynamodb as text": encoded(dynamoText, dynamoFromText),
	} {
		t.Run(name, func(t *testing.T) {
			for _, in := range orders {
				var out order
				must.Do(t, trip(in, &out))
				equal(t, out, in)
			}
		})
	}
}

// encoded returns a trip through an order's encoding.
func encoded[B any](marshal func(any) (B, error), unmarshal func(B, any) error) func(in order, out *order) error {
	return func(in order, out *order) error {
		b, err := marshal(in)
		if err != nil {
			return err
		}
		return unmarshal(b, out)
	}
}

func dynamoText(v any) (types.AttributeValue, error) {
	return attributevalue.MarshalWithOptions(v, func(o *attributevalue.EncoderOptions) { o.UseEncodingMarshalers = true })
}

func dynamoFromText(v types.AttributeValue, out any) error {
	return attributevalue.UnmarshalWithOptions(v, out, func(o *attributevalue.DecoderOptions) { o.UseEncodingUnmarshalers = true })
}

// A onerow is a database with one row. A query returns the row that the last statement wrote.
type onerow struct {
	columns []string
	row     []driver.Value
	asked   string // the last query
	unread  bool
}

func (o *onerow) Connect(context.Context) (driver.Conn, error) { return o, nil }
func (o *onerow) Driver() driver.Driver                        { return nil }
func (o *onerow) Prepare(string) (driver.Stmt, error)          { return nil, errors.ErrUnsupported }
func (o *onerow) Begin() (driver.Tx, error)                    { return nil, errors.ErrUnsupported }
func (o *onerow) Close() error                                 { return nil }
func (o *onerow) Columns() []string                            { return o.columns }

func (o *onerow) ExecContext(_ context.Context, _ string, args []driver.NamedValue) (driver.Result, error) {
	o.row = nil
	for _, arg := range args {
		o.row = append(o.row, arg.Value)
	}
	return driver.RowsAffected(1), nil
}

func (o *onerow) QueryContext(_ context.Context, query string, _ []driver.NamedValue) (driver.Rows, error) {
	o.asked, o.unread = query, true
	return o, nil
}

func (o *onerow) Next(dest []driver.Value) error {
	if !o.unread {
		return io.EOF
	}
	o.unread = false
	copy(dest, o.row)
	return nil
}

// TestForms checks the page's claims about how some libraries write IDs.
func TestForms(t *testing.T) {
	packed, err := msgpack.Marshal(id)
	must.Do(t, err)
	equal(t, string(packed), "\xc4\x10"+string(id[:])) // binary, 16 bytes
	packed, err = msgpack.Marshal(uuid.Null{})
	must.Do(t, err)
	equal(t, string(packed), "\xc4\x00") // no bytes
	packed, err = msgpack.Marshal(number)
	must.Do(t, err)
	equal(t, string(packed), "\xc4\x08"+string(binary.BigEndian.AppendUint64(nil, uint64(number))))
	item, err := attributevalue.MarshalMap(orders[1])
	must.Do(t, err)
	equal[types.AttributeValue](t, item["ID"], &types.AttributeValueMemberB{Value: id[:]})
	equal[types.AttributeValue](t, item["Number"], &types.AttributeValueMemberN{Value: number.String()})
	equal[types.AttributeValue](t, item["Refund"], &types.AttributeValueMemberNULL{Value: true})
	_, isMap := item["Parent"].(*types.AttributeValueMemberM)
	equal(t, isMap, true)
	value, err := dynamoText(id)
	must.Do(t, err)
	equal[types.AttributeValue](t, value, &types.AttributeValueMemberS{Value: id.String()})
	value, err = dynamoText(orders[1].Parent)
	must.Do(t, err)
	equal[types.AttributeValue](t, value, &types.AttributeValueMemberS{})
}
