const baseUrl = "https://eu.example.com";
const apiKey = "key-token";

/** Arguments of a Provider that are refused, whatever the environment has, and the bad one. */
export const unusableAccounts: readonly (readonly [string, given: object, name: string])[] = [
  ["no base URL", { apiKey }, "baseUrl"],
  ["an empty base URL", { apiKey, baseUrl: "" }, "baseUrl"],
  ["a password in the base URL", { apiKey, baseUrl: "https://user:pass-token@a.test" }, "baseUrl"],
  ["no key", { baseUrl }, "apiKey"],
  ["an empty key", { baseUrl, apiKey: "" }, "apiKey"],
  ["a number as key", { baseUrl, apiKey: 1234567 }, "apiKey"],
  ["a list of one number as timeout", { baseUrl, apiKey, timeoutSeconds: [20] }, "timeoutSeconds"],
  ["a list of one flag", { baseUrl, apiKey, listing: [true] }, "listing"],
];
