import { join } from "node:path";
import { ErrorHook, type ErrorHookArgs } from "@pulumi/pulumi";
import { LocalWorkspace, type ProjectSettings } from "@pulumi/pulumi/automation/index.js";
import { type ServiceRequest, startLocalService } from "pulumi-dbwebhooks/local-service";
import { expect, it } from "vitest";
import { someArgs } from "../helpers/builders.ts";
import { repository, withDirectory } from "../helpers/directory.ts";
import { errorOf } from "../helpers/errors.ts";
import { isOf, isPost, loseResponse, respondWith, times } from "../helpers/faults/faults.mts";
import { stackEnvironment } from "../helpers/pulumi.ts";
import { recordRequests } from "../helpers/recorder.mts";

// `main` is the directory of an inline program, in which Pulumi starts the dynamic provider.
const projectSettings = {
  name: "webhooks",
  runtime: "nodejs",
  main: repository,
  plugins: { providers: [{ name: "dbwebhooks", path: join(repository, "plugin") }] },
} as ProjectSettings;

// The CLI's own host for Node.js is too old for hooks, so these are inline programs.
it.each(["pulumi-dbwebhooks", "pulumi-dbwebhooks/native"])(
  "An error hook with %s repeats no creation that may have left a webhook",
  async (entry) => {
    await using service = await startLocalService();
    service.use((request, next) => {
      const isLost = isPost(request) && request.databaseId === "lost";
      return isLost ? loseResponse(request, next) : next();
    });
    const isRefused = (request: ServiceRequest) =>
      isPost(request) && request.databaseId === "refused";
    service.use(times(1, respondWith(403), isRefused));
    const { requests } = recordRequests(service);
    const seen: ErrorHookArgs["errors"][] = [];
    const program = async () => {
      const { Webhook } = await import(entry);
      const repeatAlways = new ErrorHook("repeatAlways", () => true);
      const repeatIfNotCreated = new ErrorHook("repeatIfNotCreated", ({ errors }) => {
        seen.push(errors);
        return errors.every((error) => error.endsWith("[notCreated]"));
      });
      const declare = (databaseId: string, hook: ErrorHook) =>
        new Webhook(databaseId, someArgs({ databaseId }), { hooks: { onError: [hook] } });
      declare("refused", repeatIfNotCreated);
      declare("lost", repeatAlways);
    };

    await withDirectory(async (root) => {
      const stack = await LocalWorkspace.createStack(
        { stackName: "test", projectName: "webhooks", program },
        {
          projectSettings,
          envVars: {
            ...(await stackEnvironment(root)),
            DBWEBHOOKS_BASE_URL: service.baseUrl,
            DBWEBHOOKS_API_KEY: service.apiKey,
          },
        },
      );
      const { message } = await errorOf(stack.up({ continueOnError: true }));

      // Pulumi shows no error of a creation that it repeats, so the warning is all that the user
      // sees.
      expect(message).toMatch(/warning: .*Create webhook in database lost failed: .*\[inDoubt\]/);
      expect(requests.filter(isOf("lost"))).toHaveLength(1);
      expect(service.webhooks.filter(isOf("lost"))).toHaveLength(1);
      // A creation that was certainly not carried out is repeated.
      expect(requests.filter(isOf("refused"))).toHaveLength(2);
      expect(seen).toHaveLength(1);
      const { deployment } = await stack.exportStack();
      const ids = deployment.resources.map(({ urn }: { urn: string }) => urn.split("::").at(-1));
      expect(ids).toContain("refused");
      expect(ids).not.toContain("lost");
    });
  },
);
