// A webhook whose signing secret is an output of the stack.
package main

import (
	"example.com/pulumi-dbwebhooks/sdk/go/dbwebhooks"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		orders, err := dbwebhooks.NewWebhook(ctx, "orders", &dbwebhooks.WebhookArgs{
			DatabaseId: pulumi.String("base_abc123"),
			TableId:    pulumi.String("tbl_orders"),
			Url:        pulumi.String("https://example.com/hooks/orders"),
			Events: pulumi.StringArray{
				dbwebhooks.EventTypeRecordCreated,
				dbwebhooks.EventTypeRecordUpdated,
			},
		})
		if err != nil {
			return err
		}
		ctx.Export("ordersSecret", orders.Secret)
		return nil
	})
}
