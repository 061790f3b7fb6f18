import { readFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
// Deep imports: the library's front door loads all generated API classes, 14 MB that nothing here uses.
import type { Cluster, User } from '@kubernetes/client-node/dist/config_types.js';
import { newClusters, newContexts, newUsers } from '@kubernetes/client-node/dist/config_types.js';
import { parse } from 'yaml';
import { z } from 'zod';

/** The current context of one kubeconfig file, with absolute paths. */
export interface KubeconfigContext {
  readonly file: string;
  readonly text: string;
  readonly cluster: Cluster;
  readonly user: User | undefined;
  /** `user.tokenFile`, which the library does not know. */
  readonly tokenFile: string | undefined;
  readonly namespace: string | undefined;
}

const shape = z.looseObject({
  clusters: z.array(z.looseObject({ name: z.string() })).nullish(),
  users: z.array(z.looseObject({ name: z.string(), user: z.looseObject({ tokenFile: z.string().optional() }).nullish() })).nullish(),
  contexts: z.array(z.looseObject({ name: z.string() })).nullish(),
  'current-context': z.string().optional(),
});

/** Reads one file. Throws an Error whose message says what is wrong with it. */
export function readKubeconfig(file: string): KubeconfigContext {
  const text = readFileSync(file, 'utf8');
  const raw = shape.parse(parse(text) ?? {});
  const current = raw['current-context'];
  if (!current) throw new Error('it has no current-context');
  const context = newContexts(raw.contexts ?? []).find(({ name }) => name === current);
  if (!context) throw new Error(`its current-context "${current}" is not among its contexts`);
  const cluster = newClusters(raw.clusters ?? []).find(({ name }) => name === context.cluster);
  if (!cluster) throw new Error(`its context "${current}" names the cluster "${context.cluster}", which is not there`);
  const user = newUsers(raw.users ?? []).find(({ name }) => name === context.user);
  if (!user && context.user) throw new Error(`its context "${current}" names the user "${context.user}", which is not there`);

  const absolute = (path: string | null | undefined) => (path ? (isAbsolute(path) ? path : join(dirname(file), path)) : undefined);
  return {
    file,
    text,
    cluster: { ...cluster, caFile: absolute(cluster.caFile) },
    user: user && { ...user, certFile: absolute(user.certFile), keyFile: absolute(user.keyFile) },
    tokenFile: absolute(raw.users?.find(({ name }) => name === context.user)?.user?.tokenFile),
    namespace: context.namespace,
  };
}
