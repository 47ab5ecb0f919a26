"""Webhooks of two accounts, with the SDK that `pulumi package add` generates."""

import pulumi
import pulumi_dbwebhooks as dbwebhooks

orders = dbwebhooks.Webhook(
    "orders",
    database_id="base_abc123",
    table_id="tbl_orders",
    url="https://example.com/hooks/orders",
    events=["record.created", "record.updated"],
)

# Another account at the same service.
warehouse = dbwebhooks.Provider(
    "warehouse", api_key=pulumi.Config().require_secret("warehouseApiKey")
)
stock = dbwebhooks.Webhook(
    "stock",
    database_id="base_stock",
    url="https://example.com/hooks/stock",
    events=[dbwebhooks.EventType.RECORD_UPDATED],
    opts=pulumi.ResourceOptions(provider=warehouse),
)

pulumi.export("ordersSecret", orders.secret)
pulumi.export("stockSecret", stock.secret)
