import { InvalidArgumentError, Option } from 'commander';
import type { OperatorCommand } from '../frame/index.ts';
import { formats } from '../print/index.ts';

export function outputOption(command: OperatorCommand): OperatorCommand {
  return command.addOption(new Option('-o, --output <format>', 'how to print').choices(formats).default('table'));
}

/** Parses an option that is a whole number within bounds. */
export function between(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It has to be a whole number from ${least} to ${most}.`);
  };
}

/** Parses a position in the log. */
export function position(text: string): string {
  if (/^\d{1,16}-\d{1,16}$/.test(text)) return text;
  throw new InvalidArgumentError('A position looks like 1719000000000-0.');
}
