import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { type Client, Refused, shapes } from '../client/index.ts';
import { CommandFailed, exit, type Io, type OperatorCommand, UsageWrong } from '../frame/index.ts';
import { printOne } from '../print/index.ts';
import { common, connect, talks } from './connect.ts';

const options = common.extend({
  file: z.string().optional(),
  payload: z.string().optional(),
  id: z.string().optional(),
  workspace: z.string().optional(),
  email: z.string().optional(),
});

/** `run PATTERN`: sends one request and prints its answer. */
export function run(parent: OperatorCommand, io: Io, done: (code: number) => void): void {
  talks(parent.command('run').argument('<pattern>', 'the request, e.g. create/workspace'))
    .summary('send one request to the operator and print its answer')
    .description(
      'Sends one request to the operator and prints its answer. A command is accepted under an id and handled exactly once in effect: ' +
        'after a lost connection run it again with the same --id, and it is answered without being done twice.',
    )
    .option('-f, --file <file>', 'the payload as JSON or YAML; - reads standard input')
    .option('--payload <json>', 'the payload as JSON')
    .option('--workspace <name>', 'workspace the request belongs to, for the audit log')
    .option('--email <address>', 'for whom you ask; recorded, not verified')
    .option('--id <id>', 'id of the request (default: a new one)')
    .examples(
      ['which patterns are there', 'run describe -o yaml'],
      ['make a workspace from a file', 'run create/workspace -f workspace.yaml'],
      ['a small payload in place', `run get/workspace --payload '{"name":"shop"}'`],
      ['again after a lost connection: same id, one effect', 'run create/workspace -f workspace.yaml --id shop-1'],
    )
    .action(async (pattern: string, given: unknown) => done(await send(io, pattern, options.parse(given))));
}

async function send(io: Io, pattern: string, given: z.infer<typeof options>): Promise<number> {
  const payload = await payloadOf(io, given);
  const id = given.id ?? `cli-${randomUUID()}`;
  const client = connect(io, given);
  const request = {
    id,
    pattern,
    payload,
    workspace: given.workspace,
    ...(given.email === undefined ? {} : { user: { email: given.email } }),
  };
  const { result } = await sent(client, io, request);
  if (given.output !== 'table') await printOne(io, given.output, { id, result });
  else if (result.status === 'success') {
    io.err.write(`${result.message ?? 'done'} (id ${id})\n`);
    if (result.data !== undefined && result.data !== null && result.data !== '') await printOne(io, 'yaml', result.data);
  }
  if (result.status === 'success') return exit.ok;
  const { statusCode = 0, message = 'no reason given' } = result;
  throw new CommandFailed(`${pattern} failed: ${message}${statusCode === 0 ? '' : ` (status ${statusCode})`}`, {
    hint: statusCode >= 500 ? unsure(id) : `The request had the id ${id}.`,
  });
}

/** Without an answer it is not known whether a command was accepted: then the person is told how to find out safely. */
async function sent(client: Client, io: Io, request: { readonly id: string }): Promise<shapes.CommandAnswer> {
  try {
    return await client.post('/api/v1/commands', shapes.commandAnswer, request, { anyStatus: true });
  } catch (error) {
    if (error instanceof Refused && error.status < 500) throw error;
    if (!(error instanceof CommandFailed)) {
      if (io.signal.aborted) io.err.write(`${unsure(request.id)}\n`);
      throw error;
    }
    throw new CommandFailed(error.message, { hint: [error.hint, unsure(request.id)].filter(Boolean).join('\n'), cause: error });
  }
}

const unsure = (id: string) => `If it is a command: sending it again with --id ${id} is safe, it is never done twice.`;

async function payloadOf(io: Io, given: z.infer<typeof options>): Promise<unknown> {
  if (given.file !== undefined && given.payload !== undefined)
    throw new UsageWrong("error: options '--file' and '--payload' exclude each other");
  if (given.payload !== undefined) return parsed(() => JSON.parse(given.payload ?? ''), '--payload is not JSON');
  if (given.file === undefined) return undefined;
  const text =
    given.file === '-' ? await io.readInput() : await parsed(() => readFileSync(given.file ?? '', 'utf8'), "the payload can't be read");
  const { parse } = await import('yaml');
  return parsed(() => parse(text), `${given.file === '-' ? 'standard input' : given.file} is neither JSON nor YAML`);
}

async function parsed<T>(read: () => T, what: string): Promise<T> {
  try {
    return read();
  } catch (error) {
    throw new CommandFailed(`${what}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}
