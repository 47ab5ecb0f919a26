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
