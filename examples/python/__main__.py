"""A webhook whose signing secret is an output of the stack."""

import pulumi
import pulumi_dbwebhooks as dbwebhooks

orders = dbwebhooks.Webhook(
    "orders",
    database_id="base_abc123",
    table_id="tbl_orders",
    url="https://example.com/hooks/orders",
    events=[dbwebhooks.EventType.RECORD_CREATED, dbwebhooks.EventType.RECORD_UPDATED],
)

pulumi.export("ordersSecret", orders.secret)
