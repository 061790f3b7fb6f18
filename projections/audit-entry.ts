import { z } from 'zod';
import { attribution } from '../domain/command/index.ts';
import type { Position, StreamName } from '../domain/event/index.ts';
import { comparePositions, parsePosition } from '../domain/event/index.ts';
import { type AuditLogEntry, commandStream } from '../domain/ports/index.ts';

const position = z.custom<Position>((value) => typeof value === 'string' && parsePosition(value) !== undefined);
const stream = z.custom<StreamName>((value) => typeof value === 'string' && value.includes('/'));
const intentPart = z.object({
  pattern: z.string(),
  payload: z.unknown().optional(),
  createdAt: z.string(),
  user: z.record(z.string(), z.unknown()),
  workspace: z.string().optional(),
  about: attribution.optional(),
  id: z.string(),
  position,
});
const chainPart = z.union([
  z.tuple([z.string(), z.string(), stream, position]),
  z.tuple([z.string(), z.string(), stream, position, z.string()]),
]);
const outcomePart = z.object({
  outcome: z.enum(['succeeded', 'failed', 'abandoned']),
  result: z.unknown().optional(),
  diff: z.string().optional(),
  error: z.string().optional(),
  about: attribution.optional(),
  event: chainPart,
});
const noteText = z.string().nullable();

type Row = Readonly<Record<string, string>>;

/** An entry from the parts of its row; undefined when the row has no intent. Keys come in the order of the wire. */
export function entryOf(commandId: string, row: Row): AuditLogEntry | undefined {
  if (row.intent === undefined) return undefined;
  const intent = intentPart.parse(JSON.parse(row.intent));
  const outcome = row.outcome === undefined ? undefined : outcomePart.parse(JSON.parse(row.outcome));
  const { kind, apiVersion, namespace, name } = outcome?.about ?? intent.about ?? {};
  const error = outcome ? outcome.error : (noteOf(row) ?? 'no outcome yet');
  return {
    requestId: commandId,
    pattern: intent.pattern,
    ...(kind ? { kind } : {}),
    ...(apiVersion ? { apiVersion } : {}),
    ...(namespace ? { namespace } : {}),
    ...(name ? { name } : {}),
    success: outcome?.outcome === 'succeeded',
    ...(intent.payload === undefined ? {} : { payload: intent.payload }),
    ...(outcome?.diff ? { diff: outcome.diff } : {}),
    ...(outcome?.result === undefined ? {} : { result: outcome.result }),
    ...(error === undefined ? {} : { error }),
    createdAt: intent.createdAt,
    user: intent.user,
    ...(intent.workspace === undefined ? {} : { workspace: intent.workspace }),
    outcome: outcome?.outcome ?? 'pending',
    chain: [
      { id: intent.id, type: 'CommandAccepted', position: intent.position, stream: commandStream(commandId) },
      ...[...linksOf(row), ...(outcome ? [outcome.event] : [])].map(toLink).sort((a, b) => comparePositions(a.position, b.position)),
    ],
  };
}

const noteOf = (row: Row): string | undefined => (row.note === undefined ? undefined : (noteText.parse(JSON.parse(row.note)) ?? undefined));

const linksOf = (row: Row): readonly z.infer<typeof chainPart>[] =>
  Object.entries(row).flatMap(([part, value]) => (part.startsWith('c:') ? [chainPart.parse(JSON.parse(value))] : []));

function toLink([id, type, in_, at, causationid]: z.infer<typeof chainPart>): AuditLogEntry['chain'][number] {
  return { id, type, position: at, stream: in_, ...(causationid === undefined ? {} : { causationid }) };
}

const searchedPart = intentPart.pick({ pattern: true, payload: true, user: true, workspace: true, about: true });
const searchedUser = z.object({ firstName: z.string().optional(), lastName: z.string().optional(), email: z.string().optional() });
const searchedPayload = z.object({
  name: z.unknown().optional(),
  targetName: z.unknown().optional(),
  kind: z.unknown().optional(),
  namespace: z.unknown().optional(),
});

/** Whether a search for a text in small letters finds the entry. It needs the parts `intent` and `outcome`. */
export function matches(row: Row, search: string): boolean {
  if (row.intent === undefined) return false;
  const { pattern, payload, user, workspace, about } = searchedPart.parse(JSON.parse(row.intent));
  const latest = row.outcome === undefined ? undefined : outcomePart.parse(JSON.parse(row.outcome)).about;
  const names = [about, latest].flatMap((one) => [one?.kind, one?.namespace, one?.name]);
  const fields = Object.values(searchedPayload.safeParse(payload).data ?? {});
  return [pattern, workspace, ...names, ...Object.values(searchedUser.parse(user)), ...fields].some(
    (text) => typeof text === 'string' && text.toLowerCase().includes(search),
  );
}
