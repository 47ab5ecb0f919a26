// A careful dynamic resource as a user writes it, with which `npm run bench` compares.
const pulumi = require("@pulumi/pulumi");

async function send(method, path, body) {
  const response = await fetch(process.env.DBWEBHOOKS_BASE_URL + path, {
    method,
    headers: {
      authorization: `Bearer ${process.env.DBWEBHOOKS_API_KEY}`,
      "content-type": "application/json",
    },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(30_000),
  });
  if (!response.ok && !(method === "DELETE" && response.status === 404)) {
    throw new Error(`The service returned ${response.status}.`);
  }
  return response.json();
}

const provider = {
  async diff(_id, olds, news) {
    const replaces = ["databaseId", "url", "events"].filter(
      (name) => JSON.stringify(olds[name]) !== JSON.stringify(news[name]),
    );
    return { changes: replaces.length > 0, replaces };
  },
  async create({ databaseId, url, events }) {
    const path = `/api/v1/bases/${databaseId}/webhooks`;
    const { id, secret } = await send("POST", path, { url, events });
    return { id: String(id), outs: { databaseId, url, events, secret } };
  },
  async delete(id, { databaseId }) {
    await send("DELETE", `/api/v1/bases/${databaseId}/webhooks/${id}`);
  },
};

exports.Webhook = class Webhook extends pulumi.dynamic.Resource {
  constructor(name, args) {
    super(provider, name, { secret: undefined, ...args }, { additionalSecretOutputs: ["secret"] });
  }
};
