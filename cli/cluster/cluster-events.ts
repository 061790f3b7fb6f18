import type { RecordedEvent } from '../../domain/event/index.ts';
import { objectSeen, objectVanished } from '../../domain/object/index.ts';
import type { EventPush } from '../../domain/ports/index.ts';

const types: Readonly<Record<string, string>> = { ObjectAppeared: 'add', ObjectChanged: 'update', ObjectVanished: 'delete' };

/** Tells the platform of changed objects. Of several changes of one object only the newest waits: the platform reads the object anyway. */
export function clusterEvents(push: EventPush): (event: RecordedEvent) => void {
  return (event) => {
    const eventType = types[event.type];
    if (eventType === undefined) return;
    const { apiVersion, kind, namespace = '', name, uid, resourceVersion } = objectVanished.parse(event.data);
    push.push(
      {
        pattern: 'ClusterEvent',
        payload: {
          eventType,
          resource: { apiVersion, kind, namespace, name, resourceName: name, uid, resourceVersion, status: statusOf(kind, event) },
        },
      },
      // A deletion must not be swallowed by an older change, nor the first sight by a later one.
      { stream: 'ClusterEvent', key: `${eventType}/${uid}` },
    );
  };
}

/** Only Argo CD's applications tell more: what they are made of. */
function statusOf(kind: string, event: RecordedEvent): unknown {
  if (kind !== 'Application') return null;
  const status = objectSeen.safeParse(event.data).data?.object.status;
  return typeof status === 'object' && status !== null && 'resources' in status ? (status.resources ?? null) : null;
}
