// `npm run serve`: the embedded local service, to run the examples against by hand.
import { startLocalService } from "pulumi-dbwebhooks/local-service";

const service = await startLocalService({ port: Number(process.argv[2] ?? 8787) });
process.stdout.write(`The local service listens at ${service.baseUrl}. Configure a stack with:

  pulumi config set dbwebhooks:baseUrl ${service.baseUrl}
  pulumi config set --secret dbwebhooks:apiKey ${service.apiKey}

Stop it with ^C; it forgets all webhooks then.
`);

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    void service.close();
  });
}
