import { hostAndPort, passwordsIn, serverUrl, valkeyAddress } from './address.ts';
import { bool, choice, type Declaration, duration, list, text, whole } from './declaration.ts';

const positive = { named: true, check: (n: number, key: string) => (n > 0 ? undefined : `'${key}' must be positive, got ${n}`) } as const;
const atLeast = (least: number) =>
  ({ named: true, check: (n: number, key: string) => (n >= least ? undefined : `'${key}' must be at least ${least}, got ${n}`) }) as const;

const server = (what: string) =>
  text(
    {
      description: `WebSocket URL (ws or wss) of the ${what}. Leave both server URLs unset to run without a platform.`,
      needed: 'linked',
      linkedCheck: serverUrl,
      hidden: passwordsIn,
    },
    (value, key) => (value === '' ? undefined : serverUrl(value, key)),
  );

const declared = {
  MO_API_KEY: text({ aliases: ['api_key'], secret: true, needed: 'linked', description: 'API key of the platform.' }),
  MO_CLUSTER_NAME: text({ aliases: ['cluster_name'], needed: 'always', description: 'Name of the cluster.' }, (value, key) =>
    value === '' ? `'${key}' may not be empty` : undefined,
  ),
  MO_CLUSTER_MFA_ID: text({
    secret: true,
    needed: 'linked',
    description: 'Id of the cluster. Empty: the one in the cluster secret is used, or made there.',
  }),
  MO_HTTP_ADDR: text({ fallback: ':1337', description: 'Address the HTTP server listens on; port 0 takes a free one.' }, (value, key) => {
    const parsed = hostAndPort(value);
    return 'reason' in parsed ? `'${key}' needs to be a host:port address: ${parsed.reason}` : undefined;
  }),
  CLUSTER_DOMAIN: text({ fallback: 'cluster.local', description: 'DNS suffix of service names inside the cluster.' }),
  MO_OWN_NAMESPACE: text({ aliases: ['OWN_NAMESPACE'], fallback: 'mogenius', description: 'Namespace the operator runs in.' }),
  OWN_NODE_NAME: text({
    fallback: '',
    needed: 'linked',
    description: 'Node this process runs on.',
    linkedCheck: (value, key) => (value === '' ? `'${key}' has to be defined and may not be empty: "${value}"` : undefined),
  }),
  OWN_DEPLOYMENT_NAME: text({
    fallback: 'mogenius-operator',
    description: "Name of the operator's own Deployment; also the `app` label and the field manager of what it writes.",
  }),
  MO_API_SERVER: server('API server of the platform'),
  MO_API_SERVER_CLIENTS: whole({ fallback: '2', description: 'How many connections to the API server are held at once.' }, atLeast(1)),
  MO_EVENT_SERVER: server('event server of the platform'),
  MO_SKIP_TLS_VERIFICATION: bool({ fallback: 'false', description: 'Accept any certificate of the platform. For tests only.' }),
  MO_PORT_FORWARD_ALLOW_EXTERNAL_HOSTS: bool({
    aliases: ['PORT_FORWARD_ALLOW_EXTERNAL_HOSTS'],
    fallback: 'false',
    description: 'Allow port-forwards to hosts outside the cluster. Opens the network the operator stands in.',
  }),
  MO_VALKEY_ADDR: text(
    {
      needed: 'always',
      hidden: passwordsIn,
      description:
        'Valkey: `host:port`, or a URL `valkey://user:password@host:port/database` (`rediss://` with TLS; percent-encode special characters). What the URL names wins over the other MO_VALKEY_ settings.',
    },
    (value, key) => {
      const parsed = valkeyAddress(value);
      return 'reason' in parsed ? `'${key}' needs to be a host:port address: ${parsed.reason}` : undefined;
    },
  ),
  MO_VALKEY_USERNAME: text({ fallback: '', description: 'ACL user of Valkey.' }),
  MO_VALKEY_PASSWORD: text({ secret: true, fallback: '', description: 'Password of Valkey; empty for none.' }),
  MO_VALKEY_DATABASE: whole({ fallback: '0', description: 'Database number of Valkey. A Valkey Cluster has only 0.' }, atLeast(0)),
  MO_VALKEY_TLS_ENABLED: bool({ fallback: 'false', description: 'Speak TLS (1.2 or newer) with Valkey.' }),
  MO_VALKEY_TLS_INSECURE_SKIP_VERIFY: bool({ fallback: 'false', description: 'Accept any certificate of Valkey. For tests only.' }),
  MO_VALKEY_TLS_CA_CERT_FILE: text({
    fallback: '',
    description: "PEM file that replaces the system's certificate authorities for Valkey.",
  }),
  MO_EVENT_DURABILITY: choice(
    {
      fallback: 'everysec',
      description:
        'When an event counts as kept: `fsync` (answers wait for the disk), `everysec` (a crash of Valkey may lose a second), `memory` (Valkey keeps no file).',
    },
    ['fsync', 'everysec', 'memory'],
    (given, key) => `'${key}' needs to be one of: fsync, everysec, memory, not "${given}"`,
  ),
  MO_EVENT_RETENTION: duration(
    { fallback: '168h', description: 'How long events stay in Valkey before they are archived and trimmed.' },
    '168h',
  ),
  MO_EVENT_RETENTION_BYTES: whole(
    { fallback: '0', description: 'Bytes the log may take in Valkey. 0: half of its maxmemory, or 1 GiB where it has none.' },
    atLeast(0),
  ),
  MO_EVENT_EXCLUDE_KINDS: list({
    fallback: '',
    description: 'Kinds whose changes are never recorded, as `<group>/<plural>` (core: `<plural>`), separated by commas.',
  }),
  MO_ARCHIVE_PATH: text({ fallback: '', description: 'Folder for archived segments of the log. Empty: nothing is archived to files.' }),
  MO_EVENTSTOREDB_URL: text({
    secret: true,
    fallback: '',
    hidden: (value) => [value, ...passwordsIn(value)],
    description: 'Connection string of an EventStoreDB that takes the archive (`esdb://user:password@host:2113`). Empty: none.',
  }),
  MO_COMMAND_CONCURRENCY: whole({ fallback: '64', description: 'How many commands are handled at once.' }, atLeast(1)),
  MO_GRANT_RBAC: bool({ fallback: 'false', description: 'Turn users and grants into RoleBindings in the namespaces of their workspaces.' }),
  MO_HTTP_TOKEN: text({
    secret: true,
    fallback: '',
    description: 'Bearer token of the HTTP API. Empty: only tokens that Kubernetes knows, and callers on the same machine.',
  }),
  MO_STATS_RETENTION_MAX_ENTRIES: whole({ fallback: '1440', description: 'Most entries of one time series.' }, positive),
  MO_STATS_RETENTION_HOURS: whole({ fallback: '24', description: 'Hours a time series goes back.' }, positive),
  MO_HELM_DATA_PATH: text({
    aliases: ['helm_data_path'],
    fallback: (folder) => `${folder.replace(/\/+$/, '')}/helm-data`,
    description: 'Folder for the files of Helm.',
  }),
  MO_GIT_USER_NAME: text({ aliases: ['git_user_name'], fallback: 'mogenius git-user', description: 'Author name of commits.' }),
  MO_GIT_USER_EMAIL: text({ aliases: ['git_user_email'], fallback: 'git@mogenius.com', description: 'Author e-mail of commits.' }),
  MO_AUDIT_LOG_LIMIT: whole({
    aliases: ['audit_log_limit'],
    fallback: '1000',
    description: 'Audit entries kept per namespace and name. 0 or less: 100.',
  }),
  MO_AUDIT_LOG_TTL: duration({ aliases: ['audit_log_ttl'], fallback: '336h', description: 'How long audit entries are kept.' }, '336h'),
  MO_ENABLE_POD_STATS_COLLECTOR: bool({ fallback: 'true', description: 'Collect usage of pods and nodes.' }),
  MO_ENABLE_TRAFFIC_COLLECTOR: bool({
    fallback: 'false',
    description: 'Outside a cluster: start a node collector beside the operator. Inside, the DaemonSet always collects.',
  }),
  MO_ENABLE_AUTO_UPGRADE: bool({ fallback: 'true', description: 'Allow the platform to upgrade the operator.' }),
  MO_SNOOPY_IMPLEMENTATION: choice(
    { fallback: 'auto', description: 'How traffic is measured: `snoopy` (eBPF), `procdev` (counters of /proc) or whichever works.' },
    ['auto', 'snoopy', 'procdev'],
    (_given, key) => `'${key}' needs to be one of: auto, snoopy, procdev`,
  ),
  KUBERNETES_DEBUG: bool({ fallback: 'false', description: 'Log every request to Kubernetes.' }),
  MO_HOST_PROC_PATH: text({ fallback: '/proc', description: "Where the host's /proc is mounted." }),
  MO_LOG_LEVEL: choice(
    { fallback: 'info', description: 'Least level that is logged; `mo` is info and a line for each request of the platform.' },
    ['mo', 'debug', 'info', 'warn', 'error'],
    (given, key) => `'${key}' needs to be one of 'mo, debug, info, warn, error' but is '${given}'`,
  ),
  MO_LOG_FILTER: list({ fallback: '', description: 'Components whose log is printed, separated by commas. Empty: all.' }),
  MO_ALLOW_COUNTRY_CHECK: bool({ fallback: 'true', description: 'Look up the country of the public address.' }),
  MO_SKIP_IMPERSONATION: bool({
    fallback: 'false',
    description: "Outside a cluster: act as the kubeconfig's user, not as the operator's service account.",
  }),
  MO_AI_RESPONSE_MAX_LENGTH: whole({ fallback: '1000', description: 'Most characters kept of the result of an agent step.' }),
} as const;

/** The type of each setting's value, by key. Durations are milliseconds. */
export type Values = { readonly [K in keyof typeof declared]: (typeof declared)[K] extends Declaration<infer Value> ? Value : never };
export type Key = keyof Values;

/** Every setting the operator knows. */
export const declarations: { readonly [K in Key]: Declaration<Values[K]> } = declared;

const isKey = (text: string): text is Key => Object.hasOwn(declared, text);

/** All keys, sorted. */
export const keys: readonly Key[] = Object.keys(declared).filter(isKey).sort();
