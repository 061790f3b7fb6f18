import { z } from 'zod';
import type { Operator } from '../operator/index.ts';

const event = z.looseObject({
  id: z.string(),
  type: z.string(),
  subject: z.string(),
  version: z.number(),
  position: z.string(),
  commandid: z.string().optional(),
  data: z.looseObject({}),
});
const page = z.object({ items: z.array(event), next: z.string(), end: z.boolean() });

/** An event as the HTTP API gives it. */
export type LoggedEvent = z.infer<typeof event>;

/** The whole log, oldest first. */
export async function allEvents({ http }: Pick<Operator, 'http'>): Promise<readonly LoggedEvent[]> {
  const events: LoggedEvent[] = [];
  for (let after = '0-0'; ; ) {
    const response = await fetch(`${http}/api/v1/events?limit=1000&after=${after}`, { headers: { accept: 'application/json' } });
    if (!response.ok) throw new Error(`the log can't be read: ${response.status} ${await response.text()}`);
    const { items, next, end } = page.parse(await response.json());
    events.push(...items);
    if (end) return events;
    after = next;
  }
}
