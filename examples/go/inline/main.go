// The same programs without an SDK and without Pulumi's language host for Go:
//
//	go run ./inline [-C consumer] preview|up|refresh|destroy
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/pulumi/pulumi/sdk/v3/go/auto"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optdestroy"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optpreview"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optrefresh"
	"github.com/pulumi/pulumi/sdk/v3/go/auto/optup"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"
)

func webhooks(ctx *pulumi.Context) error {
	orders, err := NewWebhook(ctx, "orders", WebhookArgs{
		DatabaseId: pulumi.String("base_abc123"),
		TableId:    pulumi.String("tbl_orders"),
		Url:        pulumi.String("https://example.com/hooks/orders"),
		Events:     pulumi.ToStringArray([]string{"record.created", "record.updated"}),
	})
	if err != nil {
		return err
	}

	// Another account at the same service.
	warehouse, err := NewProvider(ctx, "warehouse", config.RequireSecret(ctx, "warehouseApiKey"))
	if err != nil {
		return err
	}
	stock, err := NewWebhook(ctx, "stock", WebhookArgs{
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
}

func consumer(ctx *pulumi.Context) error {
	producer, err := pulumi.NewStackReference(ctx, "organization/dbwebhooks-go/"+ctx.Stack(), nil)
	if err != nil {
		return err
	}

	// The whole text is a secret, because it contains one.
	secret := producer.GetOutput(pulumi.String("ordersSecret"))
	ctx.Export("receiverEnv", pulumi.Sprintf("ORDERS_WEBHOOK_SECRET=%s", secret))
	return nil
}

type project struct {
	name    string
	program pulumi.RunFunc
}

// By directory.
var projects = map[string]project{
	".":        {"dbwebhooks-go", webhooks},
	"consumer": {"dbwebhooks-go-consumer", consumer},
}

func main() {
	directory := flag.String("C", ".", "the directory of the project: . or consumer")
	flag.Parse()

	if err := run(context.Background(), *directory, flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, directory, command string) error {
	project, ok := projects[directory]
	if !ok {
		return fmt.Errorf("%q is no project: . or consumer", directory)
	}
	stack, err := auto.UpsertStackInlineSource(ctx, "dev", project.name, project.program, auto.WorkDir(directory))
	if err != nil {
		return err
	}

	out, problems := os.Stdout, os.Stderr
	switch command {
	case "preview":
		_, err = stack.Preview(ctx, optpreview.ProgressStreams(out), optpreview.ErrorProgressStreams(problems))
	case "up":
		_, err = stack.Up(ctx, optup.ProgressStreams(out), optup.ErrorProgressStreams(problems))
	case "refresh":
		_, err = stack.Refresh(ctx, optrefresh.ProgressStreams(out), optrefresh.ErrorProgressStreams(problems))
	case "destroy":
		_, err = stack.Destroy(ctx, optdestroy.ProgressStreams(out), optdestroy.ErrorProgressStreams(problems))
	default:
		return fmt.Errorf("%q is no command: preview, up, refresh or destroy", command)
	}
	if err != nil {
		// Pulumi has printed what is wrong.
		return fmt.Errorf("%s failed", command)
	}
	return nil
}
