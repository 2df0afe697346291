package with

import (
	"bytes"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/BurntSushi/toml"
	"github.com/ClickHouse/clickhouse-go/v2/lib/column"
	"github.com/alicebob/miniredis/v2"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/go-jet/jet/v2/generator/template"
	"github.com/go-jet/jet/v2/postgres"
	goccy "github.com/goccy/go-yaml"
	"github.com/oneclock/ids/examples/internal/must"
	"github.com/oneclock/ids/uuid"
	"github.com/parquet-go/parquet-go"
	"github.com/redis/go-redis/v9"
	"github.com/vmihailenco/msgpack/v5"
	"go.yaml.in/yaml/v3"
)

// TestLibraries sends orders through each library, and compares what comes back. Nothing is written for an id but the
// tags of an order, and what is here.
func TestLibraries(t *testing.T) {
	for name, trip := range map[string]func(in order, out *order) error{
		"msgpack":          encoded(msgpack.Marshal, msgpack.Unmarshal),
		"yaml.v3":          encoded(yaml.Marshal, yaml.Unmarshal),
		"goccy/go-yaml":    encoded(goccy.Marshal, goccy.Unmarshal),
		"BurntSushi/toml":  encoded(toml.Marshal, toml.Unmarshal),
		"dynamodb":         encoded(attributevalue.Marshal, attributevalue.Unmarshal),
		"dynamodb as text": encoded(dynamoText, dynamoFromText),
		"parquet-go":       throughParquet,
		"clickhouse-go":    throughClickHouse,
		"go-redis":         func(in order, out *order) error { return throughRedis(redisClient(t), in, out) },
		"go-jet":           throughJet,
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

// encoded is a trip through what an order is encoded as.
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

func throughParquet(in order, out *order) error {
	var b bytes.Buffer
	if err := parquet.Write(&b, []order{in}); err != nil {
		return err
	}
	rows, err := parquet.Read[order](bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err == nil {
		*out = rows[0]
	}
	return err
}

func clickhouseColumn(kind column.Type) column.Interface {
	c, err := kind.Column("c", &column.ServerContext{Timezone: time.UTC})
	if err != nil {
		panic(err)
	}
	return c
}

// throughClickHouse goes row by row, as Append of a batch and Scan of rows do. A ULID goes as a UUID.
func throughClickHouse(in order, out *order) error {
	var u uuid.UUID
	out.Refund = in.Refund // a pointer cannot be read, nor a nil one be written
	into := out.fields()
	into[1] = &u
	for i, value := range []any{in.ID, in.Event.UUID(), in.Number, in.User, in.Parent} {
		c := clickhouseColumn([]column.Type{"UUID", "UUID", "Int64", "UUID", "Nullable(UUID)"}[i])
		if err := errors.Join(c.AppendRow(value), c.ScanRow(into[i], 0)); err != nil {
			return err
		}
	}
	out.Event = u.ULID()
	return nil
}

func redisClient(t *testing.T) *redis.Client {
	rdb := redis.NewClient(&redis.Options{Addr: miniredis.RunT(t).Addr()})
	t.Cleanup(func() { rdb.Close() })
	return rdb
}

// throughRedis writes texts, which everything reads: people, Get and HGetAll.
func throughRedis(rdb *redis.Client, in order, out *order) error {
	ctx := context.Background()
	var texts []any
	for name, text := range in.texts() {
		texts = append(texts, name, text[0])
	}
	err := errors.Join(rdb.Del(ctx, "order").Err(), rdb.HSet(ctx, "order", texts...).Err())
	return errors.Join(err, rdb.HGetAll(ctx, "order").Scan(out))
}

// throughJet writes and reads a model. A condition wants a conversion.
func throughJet(in order, out *order) error {
	id := postgres.StringColumn("id")
	list := postgres.ColumnList{id, postgres.StringColumn("event"), postgres.IntegerColumn("number"),
		postgres.StringColumn("user"), postgres.StringColumn("parent"), postgres.StringColumn("refund")}
	table := postgres.NewTable("public", "orders", "", list...)
	db := sql.OpenDB(&onerow{columns: []string{"order.id", "order.event", "order.number", "order.user", "order.parent", "order.refund"}})
	if _, err := table.INSERT(list).MODEL(in).ExecContext(context.Background(), db); err != nil {
		return err
	}
	return postgres.SELECT(postgres.STAR).FROM(table).WHERE(id.EQ(postgres.UUID(in.ID))).QueryContext(context.Background(), db, out)
}

// A onerow is a database of one row: a query gives what the last statement wrote.
type onerow struct {
	columns []string
	row     []driver.Value
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

func (o *onerow) QueryContext(context.Context, string, []driver.NamedValue) (driver.Rows, error) {
	o.unread = true
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

// TestForms checks what the page says of how some libraries write ids.
func TestForms(t *testing.T) {
	packed, err := msgpack.Marshal(id)
	must.Do(t, err)
	equal(t, string(packed), "\xc4\x10"+string(id[:])) // binary, 16 bytes
	text, err := yaml.Marshal(number)
	must.Do(t, err)
	equal(t, string(text), "\"1541815603606036480\"\n")
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
	equal(t, parquet.SchemaOf(order{}).Fields()[0].Type().String(), "UUID")
	equal(t, template.NewType(uuid.UUID{}), template.Type{ImportPath: "github.com/oneclock/ids", Name: "ids.UUID"})
}

// TestRefusals checks what the page warns of: what is no error any more need not be there.
func TestRefusals(t *testing.T) {
	_, err := clickhouseColumn("UUID").Append([]uuid.UUID{id})
	refused(t, err)
	refused(t, clickhouseColumn("UUID").AppendRow(event))
	func() {
		defer func() { equal(t, recover() != nil, true) }()
		_ = clickhouseColumn("Nullable(UUID)").AppendRow((*uuid.UUID)(nil))
	}()

	// Redis gets an id as its bytes, which Get reads, but HGetAll does not.
	ctx, rdb := t.Context(), redisClient(t)
	must.Do(t, rdb.Set(ctx, "latest", id, 0).Err())
	var u uuid.UUID
	must.Do(t, rdb.Get(ctx, "latest").Scan(&u))
	equal(t, u, id)
	must.Do(t, rdb.HSet(ctx, "order", "ID", id).Err())
	refused(t, rdb.HGetAll(ctx, "order").Scan(new(order)))
	refused(t, rdb.Set(ctx, "parent", uuid.Null{}, 0).Err())
}
