/** What one check found. */
export interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warn' | 'fail';
  /** One sentence. */
  readonly found: string;
  /** How to mend it; absent when all is well. */
  readonly mend?: string;
}

export const ok = (check: string, found: string): Finding => ({ check, state: 'ok', found });
export const warn = (check: string, found: string, mend: string): Finding => ({ check, state: 'warn', found, mend });
export const fail = (check: string, found: string, mend: string): Finding => ({ check, state: 'fail', found, mend });

export function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
