package main

import (
	"reflect"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// Webhook is a webhook subscription of a database.
type Webhook struct {
	pulumi.CustomResourceState

	Secret pulumi.StringOutput `pulumi:"secret"`
}

// WebhookArgs are the arguments of a Webhook.
type WebhookArgs struct {
	DatabaseId pulumi.StringInput
	Url        pulumi.StringInput
	Events     pulumi.StringArrayInput
	TableId    pulumi.StringPtrInput
}

type webhookArgs struct {
	DatabaseId string   `pulumi:"databaseId"`
	Url        string   `pulumi:"url"`
	Events     []string `pulumi:"events"`
	TableId    *string  `pulumi:"tableId"`
}

// ElementType names the type that Pulumi makes of the arguments.
func (WebhookArgs) ElementType() reflect.Type {
	return reflect.TypeFor[webhookArgs]()
}

// NewWebhook declares a webhook.
func NewWebhook(
	ctx *pulumi.Context, name string, args WebhookArgs, opts ...pulumi.ResourceOption,
) (*Webhook, error) {
	webhook := &Webhook{}
	return webhook, ctx.RegisterResource("dbwebhooks:index:Webhook", name, args, webhook, opts...)
}

// Provider is an account of the service.
type Provider struct {
	pulumi.ProviderResourceState
}

// NewProvider declares an account by its key. The environment has the other settings.
func NewProvider(ctx *pulumi.Context, name string, apiKey pulumi.StringInput) (*Provider, error) {
	provider := &Provider{}
	inputs := pulumi.Map{"apiKey": apiKey}
	return provider, ctx.RegisterResource("pulumi:providers:dbwebhooks", name, inputs, provider)
}
