import { dirname } from 'node:path';
import { performance } from 'node:perf_hooks';
import { execPlugin, execSchema } from './exec-plugin.ts';
import type { KubeconfigContext } from './kubeconfig.ts';
import { tokenFile } from './token-file.ts';
import type { Grantee } from './types.ts';

function fixed(headers: Record<string, string>): Grantee {
  const part = { headers };
  return { read: () => part, refresh() {} };
}

/** How the user of a kubeconfig proves who they are, besides a client certificate. */
export function granteeOf(context: KubeconfigContext, env: NodeJS.ProcessEnv): Grantee {
  const { user } = context;
  if (context.tokenFile) return tokenFile(context.tokenFile, () => performance.now());
  if (user?.token) return fixed({ authorization: `Bearer ${user.token.trim()}` });
  if (user?.username) {
    return fixed({ authorization: `Basic ${Buffer.from(`${user.username}:${user.password ?? ''}`).toString('base64')}` });
  }
  if (user?.exec) {
    const plugin = execSchema.parse(user.exec);
    // As kubectl does: a command with a slash is relative to the file that names it.
    const cwd = plugin.command.includes('/') ? dirname(context.file) : undefined;
    return execPlugin(plugin, { now: Date.now, env, cwd });
  }
  if (user?.authProvider) return authProvider(context);
  return fixed({});
}

/** The old `auth-provider` forms (OIDC, GCP, Azure). The library knows them; it is loaded only for them, because it is large. */
function authProvider(context: KubeconfigContext): Grantee {
  let kubeconfig: Promise<{ applyToHTTPSOptions(options: object): Promise<void> }> | undefined;
  const load = async () => {
    const { KubeConfig } = await import('@kubernetes/client-node/dist/config.js');
    const made = new KubeConfig();
    made.loadFromString(context.text);
    return made;
  };
  return {
    async read() {
      kubeconfig ??= load();
      const options: { headers?: Record<string, unknown> } = {};
      await (await kubeconfig).applyToHTTPSOptions(options);
      const { Authorization } = options.headers ?? {};
      const headers: Record<string, string> = typeof Authorization === 'string' ? { authorization: Authorization } : {};
      return { headers };
    },
    refresh() {
      kubeconfig = undefined;
    },
  };
}
