import type { ClusterIdentity } from '../../adapters/kubernetes/index.ts';
import { createPlatform, type Platform } from '../../adapters/platform/index.ts';
import { type Configuration, platformTarget } from '../../domain/configuration/index.ts';
import type { Clock, Dispatcher, Log, Metrics, Session } from '../../domain/ports/index.ts';
import { build } from '../process/build.ts';

interface PlatformParts {
  readonly config: Configuration;
  readonly identity: ClusterIdentity;
  readonly dispatcher: Dispatcher;
  readonly session: Session;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly log: Log;
}

/** The links to the platform, which follow the settings while they run; undefined when the operator runs on its own. */
export function openPlatform({ config, identity, ...parts }: PlatformParts): Platform | undefined {
  const target = platformTarget(config);
  if (target === undefined) return undefined;
  const platform = createPlatform({
    ...parts,
    ...(target.apiServer ? { apiUrl: target.apiServer } : {}),
    ...(target.eventServer ? { eventUrl: target.eventServer } : {}),
    apiClients: target.clients,
    identity: {
      apiKey: identity.apiKey,
      mfaId: identity.mfaId,
      version: build().version,
      clusterName: identity.clusterName,
      namespace: config.get('MO_OWN_NAMESPACE'),
    },
    tls: { skipVerification: !target.verifyTls },
  });
  config.onChange(['MO_API_KEY', 'MO_CLUSTER_MFA_ID', 'MO_CLUSTER_NAME', 'MO_API_SERVER', 'MO_EVENT_SERVER'], ({ key, value }) =>
    platform.update({ [fields[key] ?? '']: value }),
  );
  return platform;
}

const fields: Readonly<Record<string, string>> = {
  MO_API_KEY: 'apiKey',
  MO_CLUSTER_MFA_ID: 'mfaId',
  MO_CLUSTER_NAME: 'clusterName',
  MO_API_SERVER: 'apiUrl',
  MO_EVENT_SERVER: 'eventUrl',
};
