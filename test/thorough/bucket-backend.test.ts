import { readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { request } from "undici";
import { expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { run, start, succeed } from "../helpers/commands.ts";
import { withDirectory } from "../helpers/directory.ts";
import { countsOf, holdCreations } from "../helpers/faults/faults.mts";
import { startServer } from "../helpers/http-server.ts";
import { readPage } from "../helpers/markdown.ts";
import { yamlProgram } from "../helpers/programs.ts";
import { withStack } from "../helpers/stack.ts";

const text = readPage("examples/ci/github-actions-bucket.yml");
const workflow = parse(text, { strict: true });
const deployment: { run: string; env: Record<string, string> } = workflow.jobs.deploy.steps.at(-1);
const backendUrl = String(deployment.env.PULUMI_BACKEND_URL);
// What the comments at the beginning say to prepare.
const comments = text.match(/^#.*$/gm)?.map((line) => line.slice(2)) ?? [];
const [, permissions = ""] = comments.join("\n").match(/^ {3}\{$[\s\S]*?^ {3}\}$/gm) ?? [];
const preparation = comments.filter((line) => /^ {3}(?:export|pulumi) /.test(line)).join("\n");

// Pulumi locks the stack, so that no pipeline creates a webhook a second time. This shows it with
// this provider.
it("Of two runs of the workflow for a bucket, the second creates nothing while the first one runs", async () => {
  await withDirectory(async (root) => {
    const bucket = await openBucket(root);
    const token = { value: "token of the job" };
    await using github = await startServer({ body: token });
    await withStack(
      async ({ service, declare, directory, environment }) => {
        const inBucket = {
          ...environment,
          ...bucket.administrator,
          PULUMI_BACKEND_URL: bucket.adapt(backendUrl),
        };
        const options = { directory, environment: inBucket };
        await declare({ orders: {} });
        await rm(join(directory, "Pulumi.test.yaml"));
        await succeed("bash", ["-euc", bucket.adapt(preparation)], options);
        await succeed("pulumi", ["config", "set", "dbwebhooks:baseUrl", service.baseUrl], options);
        await bucket.restrict();
        const job: Record<string, string> = {
          ...environment,
          ...workflowVariables(deployment.env, { root, apiKey: service.apiKey }),
          ...bucket.job,
          ACTIONS_ID_TOKEN_REQUEST_TOKEN: "request token",
          ACTIONS_ID_TOKEN_REQUEST_URL: `${github.url}/token?api-version=2.0`,
          PULUMI_BACKEND_URL: bucket.adapt(backendUrl),
          RUNNER_TEMP: root,
        };
        const shell = ["--noprofile", "--norc", "-eo", "pipefail", "-c"];
        const deploy = () =>
          run("bash", [...shell, deployment.run], { directory, environment: job });

        const { committed, release } = holdCreations(service);
        const first = deploy();
        await committed;
        const second = await deploy();
        const postsDuringFirst = countsOf(service).posts;
        release();
        const { exitCode, output } = await first;

        expect(second.exitCode, second.output).not.toBe(0);
        expect(second.output).toContain("locked");
        expect(postsDuringFirst).toBe(1);
        expect(exitCode, output).toBe(0);
        const args = ["stack", "output", "ordersSecret", "--show-secrets"];
        const { stdout } = await succeed("pulumi", args, { directory, environment: job });
        expect(service.webhooks).toMatchObject([{ secret: stdout.trim() }]);
        const authorization = "Bearer request token";
        const path = "/token?api-version=2.0&audience=sts.amazonaws.com";
        expect(github.requests).toMatchObject([{ path, headers: { authorization } }, { path }]);
        const tokenFile = join(root, "identity-token");
        expect(await readFile(tokenFile, "utf8")).toBe(token.value);
        expect((await stat(tokenFile)).mode & 0o777).toBe(0o600);
        // The helper destroys only stacks of its own backend.
        await succeed("pulumi", ["destroy", "--yes"], { directory, environment: job });
      },
      { program: yamlProgram, isConfigured: false },
    );
  });
});

it("The workflow for a bucket uses the bucket of its comments, and may ask for a token", () => {
  expect(preparation).toContain(`'${backendUrl}'`);
  expect(workflow.permissions).toEqual({ contents: "read", "id-token": "write" });
});

/** Returns the variables of a step as the runner evaluates them. */
function workflowVariables(
  variables: Readonly<Record<string, string>>,
  { root, apiKey }: { readonly root: string; readonly apiKey: string },
): Record<string, string> {
  const evaluated = Object.entries(variables).map(([name, value]) => [
    name,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of GitHub.
    value.replace("${{ runner.temp }}", root).replace("${{ secrets.DBWEBHOOKS_API_KEY }}", apiKey),
  ]);
  return Object.fromEntries(evaluated);
}

// Prints the credentials of a user who has the permissions. The server knows keys in permissions
// only as "*".
const setup = `
import boto3, json, re, sys
options = dict(endpoint_url=sys.argv[1], region_name="eu-central-1", aws_access_key_id="any", aws_secret_access_key="any")
location = {"LocationConstraint": "eu-central-1"}
boto3.client("s3", **options).create_bucket(Bucket="example-states", CreateBucketConfiguration=location)
kms = boto3.client("kms", **options)
kms.create_alias(AliasName="alias/pulumi", TargetKeyId=kms.create_key()["KeyMetadata"]["KeyId"])
iam = boto3.client("iam", **options)
iam.create_user(UserName="job")
policy = re.sub('"arn:aws:kms:[^"]*"', '"*"', sys.argv[2])
iam.put_user_policy(UserName="job", PolicyName="job", PolicyDocument=policy)
key = iam.create_access_key(UserName="job")["AccessKey"]
print(json.dumps([key["AccessKeyId"], key["SecretAccessKey"]]))
`;

/** Starts a server from PyPI with the APIs of AWS, and makes a bucket, a key and a user there. */
async function openBucket(root: string) {
  const python = join(root, "venv/bin/python");
  const options = { directory: root };
  // moto's extra "server" would install much more than its server needs.
  const packages = ["moto[s3]==5.2.5", "flask==3.1.3", "flask-cors==6.0.5"];
  await succeed("python3", ["-m", "venv", "venv"], options);
  await succeed(python, ["-m", "pip", "install", "--quiet", ...packages], options);

  const args = ["--host", "127.0.0.1", "--port", "0"];
  const server = start(join(root, "venv/bin/moto_server"), args, options);
  onTestFinished(() => void server.child.kill());
  const address = await server.waitFor(/Running on (http:\/\/127\.0\.0\.1:\d+)/);
  const { origin, host } = new URL(address);
  const { stdout } = await succeed(python, ["-c", setup, origin, permissions], options);
  const [id, secret] = JSON.parse(stdout) as [string, string];
  const variables = (keyId: string, key: string) => ({
    AWS_ACCESS_KEY_ID: keyId,
    AWS_ENDPOINT_URL_KMS: origin,
    AWS_SECRET_ACCESS_KEY: key,
  });
  const endpoint = `endpoint=${host}&disableSSL=true&s3ForcePathStyle=true`;
  return {
    administrator: variables("any", "any"),
    job: variables(id, secret),
    /** Replaces the address of the bucket. */
    adapt: (text: string) => text.replace(backendUrl, `${backendUrl}&${endpoint}`),
    /** From now on, checks the permissions of each request. */
    restrict: async () => {
      const headers = { "content-type": "text/plain" };
      const options = { method: "POST", headers, body: "0" } as const;
      expect((await request(`${origin}/moto-api/reset-auth`, options)).statusCode).toBe(200);
    },
  };
}
