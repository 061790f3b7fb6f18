import { afterAll, beforeAll, describe } from 'vitest';
import { Subject } from './subject.ts';
import { realServer, sandbox } from './targets.ts';

/** Runs the same cases on the sandbox and on the real API server: what holds on one holds on the other. */
export function apiContract(title: string, cases: (api: Subject) => void): void {
  for (const target of [sandbox, realServer]) {
    describe.skipIf(target.missing)(`${title}, ${target.name}${target.missing ? ` (${target.missing})` : ''}`, () => {
      const api = new Subject(target);
      beforeAll(() => api.open());
      afterAll(() => api.close());
      cases(api);
    });
  }
}
