import type { Account } from "../service/client.js";

/** Something that this process remembers of each account. */
export function memoryOf<Memory>(start: () => Memory): (account: Account) => Memory {
  const memories = new WeakMap<Account, Memory>();
  return (account) => {
    const memory = memories.get(account) ?? start();
    memories.set(account, memory);
    return memory;
  };
}
