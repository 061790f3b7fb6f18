import type { CommandAccepted } from '../../domain/command/index.ts';
import { RequestInvalid } from '../../domain/errors.ts';
import { isName } from '../../domain/event/index.ts';
import type { Acceptance, Request } from '../../domain/ports/index.ts';
import { type CommandPattern, decodeRequest } from '../registry/index.ts';
import { assertNoMarks } from './attempt.ts';
import type { PipelineOptions } from './options.ts';

/** The intent of a request, as it goes into the log: redacted there, whole and sealed beside it when it carries secrets. Throws `RequestInvalid`. */
export function acceptanceOf(request: Request, pattern: CommandPattern, { sealer, audit, ports }: PipelineOptions): Acceptance {
  if (!isName(request.id)) throw RequestInvalid({ text: 'the id of a command has 1 to 512 characters, none of them a control character' });
  const decoded = decodeRequest(pattern.request, request.payload);
  assertNoMarks(request.payload);
  const payload = request.payload ?? null;
  const redacted = audit.redact(payload);
  const deadline = request.receivedAt + pattern.deadline;
  const named = pattern.aggregate(decoded);
  // A name that nothing can have is for the target to refuse; it only must not become part of a key.
  const aggregate = isName(named) ? named : `unnameable/${sealer.digest(named)}`;
  const data: CommandAccepted = {
    pattern: pattern.pattern,
    aggregate,
    payload: redacted,
    ...(request.workspace === undefined ? {} : { workspace: request.workspace }),
    receivedAt: new Date(request.receivedAt).toISOString(),
    deadline: new Date(deadline).toISOString(),
    digest: sealer.digest(`${pattern.pattern}\n${JSON.stringify(sorted(decoded))}`),
    audited: pattern.audit !== false,
    ...(pattern.audit ? { attribution: pattern.audit(decoded, ports) } : {}),
  };
  return {
    command: request.id,
    aggregate,
    digest: data.digest,
    event: {
      type: 'CommandAccepted',
      schema: 1,
      time: new Date(ports.clock.now()).toISOString(),
      data,
      commandid: request.id,
      correlationid: request.id,
      actor: request.actor,
    },
    deadline,
    ...(redacted === payload ? {} : { sealed: sealer.seal(JSON.stringify(payload), request.id) }),
  };
}

/** The order of keys is not part of a request: a sender may write the same one twice in two ways. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}
