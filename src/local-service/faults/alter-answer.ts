import type { Fault } from "./faults.js";

/** The faults that let the service answer, and alter the answer. */
export type AnswerFault = Fault & { kind: "fields" | "alter" };

/** Returns the altered answer. */
export async function alterAnswer(fault: AnswerFault, answer: Response): Promise<Response> {
  const text = await answer.text();
  const { headers = {}, text: change = String } =
    fault.kind === "alter" ? fault : { text: () => withFields(text, fault) };
  return new Response(change(text), {
    status: answer.status,
    headers: { ...Object.fromEntries(answer.headers), ...headers },
  });
}

function withFields(text: string, { set = {}, remove = [] }: Fault & { kind: "fields" }): string {
  // Every answer of the service is a JSON object, except plain texts such as its 404.
  const fields: Record<string, unknown> = text.startsWith("{") ? JSON.parse(text) : {};
  for (const [name, value] of Object.entries(set)) {
    fields[name] = typeof value === "function" ? value(fields[name]) : value;
  }
  for (const name of remove) {
    delete fields[name];
  }
  return JSON.stringify(fields);
}
