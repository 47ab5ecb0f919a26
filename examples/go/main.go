// Webhooks of two accounts, with the SDK that `pulumi package add` generates.
package main

import (
	"example.com/pulumi-dbwebhooks/sdk/go/dbwebhooks"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		orders, err := dbwebhooks.NewWebhook(ctx, "orders", &dbwebhooks.WebhookArgs{
			DatabaseId: pulumi.String("base_abc123"),
			TableId:    pulumi.String("tbl_orders"),
			Url:        pulumi.String("https://example.com/hooks/orders"),
			Events:     pulumi.ToStringArray([]string{"record.created", "record.updated"}),
		})
		if err != nil {
			return err
		}

		// Another account at the same service.
		warehouse, err := dbwebhooks.NewProvider(ctx, "warehouse", &dbwebhooks.ProviderArgs{
			ApiKey: config.RequireSecret(ctx, "warehouseApiKey"),
		})
		if err != nil {
			return err
		}
		stock, err := dbwebhooks.NewWebhook(ctx, "stock", &dbwebhooks.WebhookArgs{
			DatabaseId: pulumi.String("base_stock"),
			Url:        pulumi.String("https://example.com/hooks/stock"),
			Events:     pulumi.ToStringArray([]string{"record.updated"}),
		}, pulumi.Provider(warehouse))
		if err != nil {
			return err
		}

		ctx.Export("ordersSecret", orders.Secret)
		ctx.Export("stockSecret", stock.Secret)
		return nil
	})
}
