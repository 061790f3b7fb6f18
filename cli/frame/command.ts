import { Command, CommanderError } from 'commander';
import { exit, UsageWrong } from './failure.ts';

/** A command whose usage errors print the usage first, then the error, and exit with 80. */
export class OperatorCommand extends Command {
  constructor(name?: string) {
    super(name);
    this.exitOverride();
    this.showSuggestionAfterError();
    this.helpCommand(false);
  }

  override createCommand(name?: string): OperatorCommand {
    return new OperatorCommand(name);
  }

  override error(message: string): never {
    const { writeErr } = this.configureOutput();
    writeErr?.(`${this.helpInformation({ error: true })}\n${message.trimEnd()}\n`);
    throw new CommanderError(exit.usage, 'usage', message);
  }

  /** What the action itself finds wrong in the arguments is shown like what the parser finds. */
  override action(run: Parameters<Command['action']>[0]): this {
    return super.action(async (...given: unknown[]) => {
      try {
        await run.apply(this, given);
      } catch (error) {
        if (!(error instanceof UsageWrong)) throw error;
        this.error(error.message);
      }
    });
  }

  /** Examples below the help: `[what it does, the command line]`. */
  examples(...lines: readonly (readonly [what: string, line: string])[]): this {
    const text = lines.map(([what, line]) => `  # ${what}\n  $ mogenius-operator ${line}`).join('\n\n');
    return this.addHelpText('after', `\nExamples:\n${text}`);
  }
}
