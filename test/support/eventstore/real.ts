import { spawnSync } from 'node:child_process';

const image = 'eventstore/eventstore:23.10.1-jammy';

/** Why tests that need a real EventStoreDB are skipped; undefined when one can be had. For `describe.skipIf(noEventStore)`. */
export const noEventStore: string | undefined = withoutServer();

function withoutServer(): string | undefined {
  if (process.arch !== 'x64') return 'the image of EventStoreDB is for amd64';
  const docker = spawnSync('docker', ['info', '--format', '{{.ServerVersion}}'], { encoding: 'utf8', timeout: 10_000 });
  return docker.status === 0 && docker.stdout.trim() !== '' ? undefined : 'no Docker answers here, so there is no real EventStoreDB';
}

/** A real server in a container, single node, without TLS. */
export async function realEventStore(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const { GenericContainer, Wait } = await import('testcontainers');
  const container = await new GenericContainer(image)
    .withEnvironment({ EVENTSTORE_INSECURE: 'true', EVENTSTORE_MEM_DB: 'true', EVENTSTORE_RUN_PROJECTIONS: 'None' })
    .withExposedPorts(2113)
    .withWaitStrategy(Wait.forHttp('/health/live', 2113).forStatusCode(204))
    .start();
  return {
    url: `esdb://${container.getHost()}:${container.getMappedPort(2113)}?tls=false`,
    async stop() {
      await container.stop();
    },
  };
}
