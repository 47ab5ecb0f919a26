import type { Fault } from "./faults.js";

/** The faults that let the service answer, and spoil the answer. */
export type AnswerFault = Fault & {
  kind: "truncatedJson" | "hugeBody" | "contentType" | "idAsString" | "fields";
};

const TEN_MEBIBYTES = 10 * 1024 * 1024;

/** Makes the spoiled answer out of the good one. */
export async function alterAnswer(fault: AnswerFault, answer: Response): Promise<Response> {
  const text = await answer.text();
  switch (fault.kind) {
    case "truncatedJson":
      return withBody(answer, text.slice(0, text.length / 2));
    case "hugeBody":
      return withFields(answer, text, { padding: "x".repeat(fault.bytes ?? TEN_MEBIBYTES) });
    case "contentType":
      return withBody(answer, text, { "content-type": fault.value });
    case "idAsString":
      return withFields(answer, text, { id: String(parseObject(text).id) });
    case "fields":
      return withFields(answer, text, fault.set, fault.remove);
  }
}

function withFields(
  answer: Response,
  text: string,
  set: Readonly<Record<string, unknown>> = {},
  remove: readonly string[] = [],
): Response {
  const kept = Object.entries({ ...parseObject(text), ...set });
  const fields = Object.fromEntries(kept.filter(([name]) => !remove.includes(name)));
  return withBody(answer, JSON.stringify(fields));
}

function withBody(answer: Response, body: string, headers: Record<string, string> = {}): Response {
  return new Response(body, {
    status: answer.status,
    headers: { ...Object.fromEntries(answer.headers), ...headers },
  });
}

/** Every answer of the service's own is a JSON object, but for its plain 404. */
function parseObject(text: string): Record<string, unknown> {
  return text.startsWith("{") ? JSON.parse(text) : {};
}
