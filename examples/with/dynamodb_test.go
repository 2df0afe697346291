package with

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// As they are, UUIDs and ULIDs are binary and Snowflakes numbers. An absent pointer is NULL.
func TestDynamoDB(t *testing.T) {
	for _, o := range orders {
		item, err := attributevalue.MarshalMap(o)
		must(t, err)
		equal[types.AttributeValue](t, item["ID"], &types.AttributeValueMemberB{Value: id[:]})
		equal[types.AttributeValue](t, item["Number"], &types.AttributeValueMemberN{Value: number.String()})
		var back order
		must(t, attributevalue.UnmarshalMap(item, &back))
		equal(t, back, o)
	}
	item, err := attributevalue.MarshalMap(orders[1])
	must(t, err)
	equal[types.AttributeValue](t, item["Refund"], &types.AttributeValueMemberNULL{Value: true})
	if _, ok := item["Parent"].(*types.AttributeValueMemberM); !ok {
		t.Errorf("a Null is no longer a map: %#v", item["Parent"])
	}
}

// With the option, they are text, and a Snowflake is a number still.
func TestDynamoDBText(t *testing.T) {
	for _, o := range orders {
		item, err := attributevalue.MarshalMapWithOptions(o, func(o *attributevalue.EncoderOptions) {
			o.UseEncodingMarshalers = true
		})
		must(t, err)
		equal[types.AttributeValue](t, item["ID"], &types.AttributeValueMemberS{Value: id.String()})
		var back order
		must(t, attributevalue.UnmarshalMapWithOptions(item, &back, func(o *attributevalue.DecoderOptions) {
			o.UseEncodingUnmarshalers = true
		}))
		equal(t, back, o)
	}
}
