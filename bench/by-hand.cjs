// A careful dynamic resource as a user writes it, with which `npm run bench` compares.
const pulumi = require("@pulumi/pulumi");

const fields = ["databaseId", "url", "events", "tableId"];
const knownEvents = ["record", "table", "field"].flatMap((subject) =>
  ["created", "updated", "deleted"].map((change) => `${subject}.${change}`),
);

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
  const json = await response.json();
  if (!response.ok && !(method === "DELETE" && json.error?.code === "NOT_FOUND")) {
    throw new Error(`The service returned ${response.status}.`);
  }
  return json;
}

const provider = {
  async check(_olds, news) {
    const events = Array.isArray(news.events) ? [...news.events].sort() : news.events;
    const unknown = [events].flat().filter((event) => !knownEvents.includes(event));
    const reason = `Unknown events: ${unknown.join(", ")}`;
    const failures = unknown.length > 0 ? [{ property: "events", reason }] : [];
    return { inputs: { ...news, events }, failures };
  },
  async diff(_id, olds, news) {
    const isChanged = (name) => JSON.stringify(olds[name]) !== JSON.stringify(news[name]);
    const replaces = fields.filter(isChanged);
    return { changes: replaces.length > 0, replaces };
  },
  async create({ databaseId, ...args }) {
    const { __provider, secret: _, ...body } = args;
    const { id, secret } = await send("POST", `/api/v1/bases/${databaseId}/webhooks`, body);
    return { id: String(id), outs: { databaseId, ...body, secret } };
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
