// Creates a webhook without Pulumi, and prints the answer with its id and its secret.
const { DBWEBHOOKS_BASE_URL: baseUrl, DBWEBHOOKS_API_KEY: apiKey } = process.env;

const response = await fetch(`${baseUrl}/api/v1/bases/base_abc123/webhooks`, {
  method: "POST",
  headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
  body: JSON.stringify({
    url: "https://example.com/hooks/orders",
    events: ["record.created", "record.updated"],
  }),
});

if (!response.ok) {
  throw new Error(`The service answered ${response.status}.`);
}
process.stdout.write(await response.text());
