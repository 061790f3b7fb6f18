import { execFile } from 'node:child_process';
import { z } from 'zod';
import type { Credentials, Grantee } from './types.ts';

/** `user.exec` of a kubeconfig. */
export const execSchema = z.object({
  apiVersion: z.string().default('client.authentication.k8s.io/v1'),
  command: z.string().min(1),
  args: z.array(z.string()).nullish(),
  env: z.array(z.object({ name: z.string(), value: z.string() })).nullish(),
  installHint: z.string().optional(),
});
export type ExecConfig = z.infer<typeof execSchema>;

const answerSchema = z.object({
  status: z.object({
    token: z.string().optional(),
    clientCertificateData: z.string().optional(),
    clientKeyData: z.string().optional(),
    expirationTimestamp: z.string().optional(),
  }),
});

/** A credential that ends while a request is on its way is refused, so it is replaced a little earlier. */
const margin = 10_000;
const patience = 60_000;

/**
 * A credential plugin (client.authentication.k8s.io). Own code, because the library's plugin runner has no deadline, keeps a token
 * without an end even after it was refused, and doesn't set KUBERNETES_EXEC_INFO, which several plugins insist on.
 */
export function execPlugin(config: ExecConfig, how: { now: () => number; env: NodeJS.ProcessEnv; cwd?: string }): Grantee {
  let known: { credentials: Partial<Credentials>; until: number } | undefined;
  let asking: Promise<Partial<Credentials>> | undefined;

  async function ask(): Promise<Partial<Credentials>> {
    const { status } = answerSchema.parse(JSON.parse(await run(config, how.env, how.cwd)));
    const credentials: Partial<Credentials> = {
      headers: status.token === undefined ? {} : { authorization: `Bearer ${status.token}` },
      ...(status.clientCertificateData && status.clientKeyData
        ? { tls: { cert: status.clientCertificateData, key: status.clientKeyData } }
        : {}),
    };
    const end = status.expirationTimestamp === undefined ? Number.POSITIVE_INFINITY : Date.parse(status.expirationTimestamp);
    const asked = how.now();
    // A token that lives for seconds would be asked for on every request if the whole margin were taken off.
    known = { credentials, until: end - Math.min(margin, Math.max(0, (end - asked) / 5)) };
    return credentials;
  }

  return {
    read() {
      if (known !== undefined && how.now() < known.until) return known.credentials;
      // Many requests wait for one plugin process.
      asking ??= ask().finally(() => {
        asking = undefined;
      });
      return asking;
    },
    refresh() {
      known = undefined;
    },
  };
}

function run(config: ExecConfig, env: NodeJS.ProcessEnv, cwd: string | undefined): Promise<string> {
  const info = JSON.stringify({ apiVersion: config.apiVersion, kind: 'ExecCredential', spec: { interactive: false } });
  const given = Object.fromEntries((config.env ?? []).map(({ name, value }) => [name, value]));
  return new Promise((resolve, reject) => {
    const options = { env: { ...env, ...given, KUBERNETES_EXEC_INFO: info }, timeout: patience, maxBuffer: 1 << 20, cwd };
    execFile(config.command, config.args ?? [], options, (error, stdout) => {
      // The plugin's output may hold a token, so only how it ended is told.
      if (error) reject(new Error(`the credential plugin ${config.command} failed (${error.killed ? 'too slow' : error.code})`));
      else resolve(stdout);
    }).stdin?.end();
  });
}
