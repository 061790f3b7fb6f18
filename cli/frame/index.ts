export { OperatorCommand } from './command.ts';
export { CommandFailed, exit, UsageWrong } from './failure.ts';
export { coloured, type Io, type Output, processIo } from './io.ts';
export { stopSignal } from './signals.ts';
