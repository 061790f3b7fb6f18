import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { createFakeClock } from '../../../test/support/fake-clock/index.ts';
import { defaultLimits, type Tokens } from '../options.ts';
import { createGuard } from './access.ts';
import { isLoopback } from './loopback.ts';

function from(address: string | undefined, headers: Record<string, string> = { host: 'localhost' }) {
  const socket = new Socket();
  Object.defineProperty(socket, 'remoteAddress', { value: address });
  return { headers, method: 'GET', socket };
}

const guard = (tokens: Tokens, clock = createFakeClock()) => createGuard(tokens, defaultLimits, clock);

test.each([
  ['127.0.0.1', true],
  ['127.8.8.8', true],
  ['::1', true],
  ['::ffff:127.0.0.1', true],
  ['10.0.0.1', false],
  ['::ffff:10.0.0.1', false],
  ['127.0.0.1.evil', false],
  ['fe80::1', false],
  [undefined, false],
])('%s is this machine: %s', (address, is) => {
  expect(isLoopback(address)).toBe(is);
});

test('from elsewhere a request needs a token, whatever Host it names', async () => {
  await expect(guard({})(from('10.1.2.3'))).rejects.toMatchObject({ code: 'ACCESS_DENIED', message: 'this route needs a token' });
  await expect(guard({})(from('127.0.0.1'))).resolves.toEqual({ by: 'loopback' });
});

test('without a configured token an empty one is no token', async () => {
  const headers = { authorization: 'Bearer x' };
  await expect(guard({ bearer: () => '' })(from('10.1.2.3', headers))).rejects.toMatchObject({ code: 'ACCESS_DENIED' });
  await expect(guard({ bearer: () => undefined })(from('10.1.2.3', headers))).rejects.toMatchObject({ code: 'ACCESS_DENIED' });
});

test('a changed token is the one that counts from then on', async () => {
  let token = 'old';
  const check = guard({ bearer: () => token });
  await expect(check(from('10.1.2.3', { authorization: 'Bearer old' }))).resolves.toEqual({ by: 'token' });
  token = 'new';
  await expect(check(from('10.1.2.3', { authorization: 'Bearer old' }))).rejects.toMatchObject({ code: 'ACCESS_DENIED' });
});

test('only administrators may call with a Kubernetes token when no groups are named', async () => {
  const as = (groups: string[]) =>
    guard({ review: async () => ({ username: 'u', groups }) })(from('10.1.2.3', { authorization: 'Bearer t' }));
  await expect(as(['system:masters'])).resolves.toEqual({ by: 'kubernetes', name: 'u' });
  await expect(as(['system:authenticated'])).rejects.toMatchObject({ code: 'ACCESS_DENIED' });
});

test('a decision is remembered for a minute, a failed question not at all', async () => {
  const clock = createFakeClock();
  let asked = 0;
  let fails = true;
  const check = guard(
    {
      async review() {
        asked += 1;
        if (fails) throw new Error('away');
        return { username: 'u', groups: ['system:masters'] };
      },
    },
    clock,
  );
  const request = from('10.1.2.3', { authorization: 'Bearer t' });
  await expect(check(request)).rejects.toThrow('away');
  fails = false;
  await check(request);
  await clock.advance(59_000);
  await check(request);
  expect(asked).toBe(2);
  await clock.advance(1_000);
  await check(request);
  expect(asked).toBe(3);
});

test('"not valid" is remembered for seconds: a token may have been made a moment ago', async () => {
  const clock = createFakeClock();
  let who: { username: string; groups: string[] } | undefined;
  const check = guard({ review: async () => who }, clock);
  const request = from('10.1.2.3', { authorization: 'Bearer t' });
  await expect(check(request)).rejects.toMatchObject({ code: 'ACCESS_DENIED' });
  who = { username: 'u', groups: ['system:masters'] };
  await expect(check(request)).rejects.toMatchObject({ code: 'ACCESS_DENIED' });
  await clock.advance(5_000);
  await expect(check(request)).resolves.toEqual({ by: 'kubernetes', name: 'u' });
});

test('the memory of decisions is bounded', async () => {
  let asked = 0;
  const check = guard({
    async review() {
      asked += 1;
      return { username: 'u', groups: ['system:masters'] };
    },
  });
  for (let i = 0; i <= 1_000; i++) await check(from('10.1.2.3', { authorization: `Bearer t${i}` }));
  await check(from('10.1.2.3', { authorization: 'Bearer t1000' }));
  expect(asked).toBe(1_001);
  await check(from('10.1.2.3', { authorization: 'Bearer t0' }));
  expect(asked).toBe(1_002);
});
