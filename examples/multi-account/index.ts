import * as pulumi from "@pulumi/pulumi";
import * as dbwebhooks from "pulumi-dbwebhooks";

const config = new pulumi.Config();

const us = new dbwebhooks.Provider("us", {
  baseUrl: config.require("usBaseUrl"),
  apiKey: config.requireSecret("usApiKey"),
});
const eu = new dbwebhooks.Provider("eu", {
  baseUrl: config.require("euBaseUrl"),
  apiKey: config.requireSecret("euApiKey"),
});

const orders = {
  url: "https://example.com/hooks/orders",
  events: ["record.created"],
} as const;
const usOrders = new dbwebhooks.Webhook(
  "orders-us",
  { databaseId: "base_us", ...orders },
  { provider: us },
);
const euOrders = new dbwebhooks.Webhook(
  "orders-eu",
  { databaseId: "base_eu", ...orders },
  { provider: eu },
);

export const usSecret = usOrders.secret;
export const euSecret = euOrders.secret;
