import * as z from "zod/mini";
import { adviceForUnknownName } from "../../common/nearest-name.js";
import { checkOption, closedObject } from "../problems.js";
import type { Fault, FaultRule } from "./faults.js";

/** Throws a TypeError that names everything that is wrong with a rule. */
export function checkFaultRule(rule: FaultRule): void {
  const isList = Array.isArray((rule as FaultRule | undefined)?.fault);
  checkOption<unknown>("fault rule", isList ? ruleWithFaults : ruleWithFault, rule);
}

const commit = z.optional(z.boolean("must be true or false"));
const headers = z.optional(
  z.custom(areHeaders, 'must be headers, such as { "content-type": "text/html" }'),
);
const statusMessage = "must be a whole number from 200 to 599";
const nameListMessage = "must be a list of names";

const kinds = {
  delay: { ms: numberFrom(0, 2_147_483_647), commit },
  hold: { commit },
  neverAnswer: { commit },
  respond: {
    statusCode: z.int(statusMessage).check(z.refine(isFinalStatus, statusMessage)),
    body: z.optional(z.custom(isBody, "must be JSON, or a function that returns it")),
    headers,
    commit,
  },
  resetBeforeReading: {},
  resetAfterCommit: {},
  resetMidBody: {},
  fields: {
    set: z.optional(z.looseObject({}, "must be an object")),
    remove: z.optional(z.array(z.string(nameListMessage), nameListMessage)),
  },
  alter: { headers, text: z.optional(functionSchema()) },
} satisfies Record<Fault["kind"], z.core.$ZodShape>;

const kindNames = Object.keys(kinds);
const objectMessage = "must be an object with a kind";

const fault = z.discriminatedUnion(
  "kind",
  [
    faultOf("delay"),
    faultOf("hold"),
    faultOf("neverAnswer"),
    closedObject({ kind: z.literal("respond"), ...kinds.respond }, objectMessage).check(
      z.refine(
        ({ statusCode, body }) => body === undefined || ![204, 205, 304].includes(statusCode),
        { path: ["body"], error: "must be absent with the status 204, 205 or 304" },
      ),
    ),
    faultOf("resetBeforeReading"),
    faultOf("resetAfterCommit"),
    faultOf("resetMidBody"),
    faultOf("fields"),
    faultOf("alter"),
  ],
  {
    error: ({ code, input }) =>
      code === "invalid_union"
        ? adviceForUnknownName(String((input as { kind?: unknown }).kind), kindNames)
        : objectMessage,
  },
);

const ruleWithFault = ruleOf(fault);
const ruleWithFaults = ruleOf(z.array(fault));

function faultOf<Kind extends Fault["kind"]>(kind: Kind) {
  return closedObject({ kind: z.literal(kind), ...kinds[kind] }, objectMessage);
}

function ruleOf(faults: z.ZodMiniType) {
  return closedObject(
    {
      fault: faults,
      on: z.optional(
        z.enum(["POST", "DELETE", "GET", "any"], 'must be "POST", "DELETE", "GET" or "any"'),
      ),
      databaseId: z.optional(z.string("must be a string")),
      where: z.optional(functionSchema()),
      skip: z.optional(wholeNumber()),
      times: z.optional(wholeNumber()),
      probability: z.optional(numberFrom(0, 1)),
      seed: z.optional(z.number("must be a number")),
    },
    "the rule must be an object",
  );
}

function numberFrom(least: number, most: number) {
  const message = `must be a number from ${least} to ${most}`;
  return z.number(message).check(z.refine((value) => value >= least && value <= most, message));
}

function wholeNumber() {
  const message = "must be a whole number of at least 0";
  return z.int(message).check(z.nonnegative(message));
}

function functionSchema() {
  return z.custom((value) => typeof value === "function", "must be a function");
}

/** The statuses that a `Response` can have. */
function isFinalStatus(statusCode: number): boolean {
  return statusCode >= 200 && statusCode <= 599;
}

function areHeaders(value: unknown): boolean {
  try {
    return typeof value === "object" && new Headers(value as Record<string, string>) !== null;
  } catch {
    return false;
  }
}

function isBody(value: unknown): boolean {
  try {
    return typeof value === "function" || JSON.stringify(value) !== undefined;
  } catch {
    return false;
  }
}
