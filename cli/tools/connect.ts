import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { z } from 'zod';
import { type Client, createClient } from '../client/index.ts';
import { CommandFailed, type Io, type OperatorCommand, UsageWrong } from '../frame/index.ts';
import { formats } from '../print/index.ts';
import { environmentOf } from '../process/settings.ts';
import { outputOption } from './options.ts';

/** Options that every tool shares. */
export const common = z.object({
  output: z.enum(formats),
  server: z.string().optional(),
  tokenFile: z.string().optional(),
  timeout: z.string(),
});
export type Common = z.infer<typeof common>;

const defaultServer = 'http://127.0.0.1:1337';

export function talks(command: OperatorCommand): OperatorCommand {
  return outputOption(command)
    .option('--server <url>', `address of the operator (env MO_SERVER; default ${defaultServer})`)
    .option(
      '--token-file <file>',
      'file that holds the bearer token (or env MO_HTTP_TOKEN; an argument would show in the list of processes)',
    )
    .option('--timeout <seconds>', 'how long an answer may take', '60');
}

/** The client of the operator that options and environment name. */
export function connect(io: Io, options: Common): Client {
  // The server comes from the real environment only: a .env in a folder somebody else made must not send the token elsewhere.
  const server = serverUrl(options.server ?? io.env.MO_SERVER ?? defaultServer);
  const token = options.tokenFile === undefined ? (environmentOf(io).MO_HTTP_TOKEN ?? '') : tokenIn(options.tokenFile);
  const seconds = Number(options.timeout);
  if (!(seconds > 0)) throw new UsageWrong(`error: option '--timeout <seconds>' needs a number above 0, not '${options.timeout}'`);
  if (token !== '' && server.protocol === 'http:' && !loopback(server.hostname))
    io.err.write(`warning: the token goes to ${server.host} unencrypted; use https where you can\n`);
  return createClient({ server: server.href, token, signal: io.signal, timeout: seconds * 1000 });
}

function serverUrl(text: string): URL {
  const full = text.includes('://') ? text : `http://${text}`;
  const url = URL.canParse(full) ? new URL(full) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw new UsageWrong(`error: option '--server <url>' needs an http or https URL, e.g. ${defaultServer}`);
  if (url.username !== '' || url.password !== '')
    throw new UsageWrong("error: option '--server <url>' takes no user and password; use --token-file");
  return url;
}

const loopback = (host: string) => host === 'localhost' || host === '[::1]' || (isIP(host) === 4 && host.startsWith('127.'));

function tokenIn(file: string): string {
  let token: string;
  try {
    token = readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new CommandFailed(`the token can't be read: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new CommandFailed(`${file} holds no token: it has to be one line of printable characters`);
}
