/** The titles of the steps of `npm start`, in their order. */
export const steps = {
  findCli: "Find the Pulumi CLI, or get it",
  startServers:
    "Start the local service, which takes the place of your database service, and a receiver",
  create: "Run pulumi up of examples/basic: it creates a webhook and keeps its secret, encrypted",
  change: "Run pulumi preview with another URL: it announces a replacement, and sends nothing",
  emit: "Emit an event, and verify the notification with the secret from the stack",
  share: "Read the secret in a second stack, through a StackReference",
  destroy: "Run pulumi destroy of both stacks: it deletes the webhook",
};

const titles = Object.values(steps);

export function introduce(): void {
  process.stdout.write(`This shows the package at work with the real Pulumi CLI. It needs no account and runs
on this machine only, in a temporary directory. The steps:

${titles.map((title, index) => `    ${index + 1}. ${title}`).join("\n")}

Lines that start with | come from Pulumi.
`);
}

export function startStep(title: string): void {
  const number = titles.indexOf(title) + 1;
  process.stdout.write(`\n[${number} of ${titles.length}] ${title}\n`);
}

export function say(line: string): void {
  process.stdout.write(`    ${line}\n`);
}

export function showPulumiOutput(output: string): void {
  process.stdout.write(output.replace(/^(?=.)/gm, "    | "));
}

/** Says that a fact holds. Throws if it does not. */
export function expect(holds: boolean, fact: string): void {
  if (!holds) {
    throw new Error(`This does not hold: ${fact}`);
  }
  say(fact);
}
