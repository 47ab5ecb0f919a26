import { isPair } from "./accounts.ts";
import type { Situation } from "./situation.ts";
import { providerNames } from "./walk-program.ts";

/** A key belongs to one service, unless the walk has given it to a provider with the address of the other one. */
export function problemsOfKeys(situation: Situation): string[] {
  const { services } = situation.facts;
  const known = [undefined, ...providerNames].flatMap((name) => situation.knownAccountsOf(name));
  return [services.first, services.second].flatMap(({ baseUrl, requests }) => {
    const keys = new Set(requests.map(({ headers }) => headers.authorization?.slice(7) ?? ""));
    return [...keys]
      .filter((apiKey) => !isPair({ baseUrl, apiKey }, services))
      .filter((apiKey) => !known.some((one) => one.baseUrl === baseUrl && one.apiKey === apiKey))
      .map((apiKey) => `${baseUrl} got the key "${apiKey}"`);
  });
}
