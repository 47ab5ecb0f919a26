// The settings of the receiver, with the secret of the other stack.
package main

import "github.com/pulumi/pulumi/sdk/v3/go/pulumi"

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		producer, err := pulumi.NewStackReference(ctx, "organization/dbwebhooks-go/"+ctx.Stack(), nil)
		if err != nil {
			return err
		}

		// The whole text is a secret, because it contains one.
		secret := producer.GetOutput(pulumi.String("ordersSecret"))
		ctx.Export("receiverEnv", pulumi.Sprintf("ORDERS_WEBHOOK_SECRET=%s", secret))
		return nil
	})
}
