import type { Io } from '../frame/index.ts';

export interface Progress {
  /** 0 to 1. `note` says what is being done or how much of it. */
  at(share: number, note: string): void;
  stop(): void;
}

const silent: Progress = { at: () => {}, stop: () => {} };

/** A bar on standard error while it is a terminal; nothing otherwise, so that logs of jobs stay readable. */
export async function progress(io: Io, title: string): Promise<Progress> {
  if (io.err.columns === undefined) return silent;
  const { default: cliProgress } = await import('cli-progress');
  const bar = new cliProgress.SingleBar(
    { format: `${title} [{bar}] {percentage}% {note}`, hideCursor: true, clearOnComplete: true, barsize: 30, etaBuffer: 50, fps: 10 },
    cliProgress.Presets.legacy,
  );
  bar.start(1000, 0, { note: '' });
  return {
    at: (share, note) => bar.update(Math.round(Math.min(Math.max(share, 0), 1) * 1000), { note }),
    stop: () => bar.stop(),
  };
}
