import { createHash } from 'node:crypto';
import { views } from '../view-store/functions.ts';
import { viewReads } from '../view-store/read-functions.ts';
import { commands } from './commands.ts';
import { keeper } from './keeper.ts';
import { log } from './log.ts';
import { parking } from './parking.ts';
import { register, together } from './register.ts';
import { shared } from './shared.ts';

/**
 * Parts of the one function library, in this order. A part registers functions with `register(name, function(keys, args) … end, flags)`;
 * KEYS[1] is the hash tag `{<cluster id>}`, from which all other key names are made: one slot holds them all.
 * Each part is a block of its own, because Lua allows 200 locals in one; `shared` is outside them.
 */
const parts = [`${commands}\n${parking}`, log, keeper, `${views}\n${viewReads}`];

const body = `${shared}\n${parts.map((part) => `do\n${part}\nend`).join('\n')}\n${together}`;

/**
 * The name carries a hash of the content: `FUNCTION LOAD REPLACE` under a fixed name would take the functions of a newer release away
 * from its processes as soon as an older one starts.
 */
export const library = `mo_${createHash('sha256')
  .update(`${register('')}${body}`)
  .digest('hex')
  .slice(0, 12)}`;

export const functionName = (name: string): string => `${library}_${name}`;

export const source = `#!lua name=${library}
${register(`${library}_`)}
${body}`;
