import packageFile from '../../package.json' with { type: 'json' };

declare global {
  /** Written in by the bundler; absent when the sources run. */
  var MOGENIUS_BUILD: Omit<Build, 'version'> | undefined;
}

/** What this program is. Empty texts where the sources run. */
export interface Build {
  readonly version: string;
  readonly branch: string;
  readonly hash: string;
  readonly buildAt: string;
}

export function build(): Build {
  const { branch, hash, buildAt } = globalThis.MOGENIUS_BUILD ?? { branch: '', hash: '', buildAt: '' };
  return { version: packageFile.version, branch, hash, buildAt };
}
