import * as dbwebhooks from "pulumi-dbwebhooks";

const orders = new dbwebhooks.Webhook("orders", {
  databaseId: "base_abc123",
  tableId: "tbl_orders",
  url: "https://example.com/hooks/orders",
  events: ["record.created", "record.updated"],
});

export const ordersSecret = orders.secret;
