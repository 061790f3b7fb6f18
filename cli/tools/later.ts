import { CommandFailed, type Io, type OperatorCommand } from '../frame/index.ts';

/** Commands whose names are taken and whose work comes with a later release: said, not sketched. */
export function later(parent: OperatorCommand, _io: Io): void {
  const names = {
    nodemetrics: 'collecting metrics of a node',
    exec: 'a terminal in a container',
    logs: 'following the log of a container',
  };
  for (const [name, what] of Object.entries(names))
    parent
      .command(name)
      .description(`Not part of this release: ${what}.`)
      .allowUnknownOption()
      .allowExcessArguments()
      .action(() => {
        throw new CommandFailed(`${name} (${what}) is not part of this release`);
      });
}
