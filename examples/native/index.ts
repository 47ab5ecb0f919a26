import * as dbwebhooks from "pulumi-dbwebhooks/native";

const orders = new dbwebhooks.Webhook(
  "orders",
  {
    databaseId: "base_abc123",
    tableId: "tbl_orders",
    url: "https://example.com/hooks/orders",
    events: ["record.created", "record.updated"],
  },
  // The webhook exists already. Remove this line when it is in the state.
  { import: "base_abc123/17" },
);

export const ordersSecret = orders.secret;
