import { describe, expect, it } from 'vitest';
import { parseDatagram } from './index.ts';

const options = { maxBytes: 1000, newId: () => 'generated0generated01' };
const parse = (text: string) => parseDatagram(text, options);

describe('a frame that is a datagram', () => {
  it('keeps what is known and ignores the rest', () => {
    expect(
      parse(
        '{"id":"q7Kd","pattern":"get/workspace","payload":{"name":"shop"},"user":{"email":"a@b.c","apiKey":{},"x":1},"workspace":"shop","more":true}',
      ),
    ).toEqual({
      outcome: 'datagram',
      datagram: {
        id: 'q7Kd',
        pattern: 'get/workspace',
        payload: { name: 'shop' },
        user: { email: 'a@b.c', apiKey: {} },
        workspace: 'shop',
      },
    });
  });
  it.each(['{"pattern":"describe"}', '{"id":null,"pattern":"describe","payload":null,"user":null,"zlib":false}'])(
    'makes an id where there is none: %s',
    (text) => {
      expect(parse(text)).toEqual({ outcome: 'datagram', datagram: { id: 'generated0generated01', pattern: 'describe' } });
    },
  );
  it('reads a payload of false, 0 and "" as they are', () => {
    for (const payload of [false, 0, ''])
      expect(parse(JSON.stringify({ id: 'a', pattern: 'p', payload }))).toEqual({
        outcome: 'datagram',
        datagram: { id: 'a', pattern: 'p', payload },
      });
  });
});

describe('a frame that is none, with an id that can be read', () => {
  const required = (field: string) => `Field '${field}' failed validation, Condition: required`;
  it.each([
    ['{"id":"q1"}', '', `validaten failed for datagram: ${required('Pattern')}`],
    ['{"id":"q1","pattern":""}', '', `validaten failed for datagram: ${required('Pattern')}`],
    ['{"id":"q1","Pattern":"describe"}', '', `validaten failed for datagram: ${required('Pattern')}`],
    ['{"id":"q1","pattern":7}', '', "failed to decode datagram: Field 'pattern' has the wrong type or length"],
    ['{"id":"q1","pattern":"p","user":{"email":[]}}', 'p', "failed to decode datagram: Field 'user.email' has the wrong type or length"],
    ['{"id":"q1","pattern":"p","payload":{', 'p', 'the datagram is no valid JSON'],
    [' {"payload":{"id":"inner"},"pattern":"p","id":"q1",}', 'p', 'the datagram is no valid JSON'],
    ['{"id":"q\\u0031","pattern":"p"}}', 'p', 'the datagram is no valid JSON'],
  ])('is refused by that id: %s', (text, pattern, sentence) => {
    expect(parse(text)).toEqual({ outcome: 'refused', id: 'q1', pattern, text: sentence });
  });
});

describe('a frame whose sender cannot be told', () => {
  it.each([
    ['', 'empty'],
    ['{"id":"","pattern":"describe"}', 'invalid'],
    ['{"id":5,"pattern":"describe"}', 'invalid'],
    ['[{"id":"q1"}]', 'no-object'],
    ['null', 'no-object'],
    ['"id"', 'no-object'],
    ['######START_UPLOAD######;', 'not-json'],
    ['{"payload":{"id":"inner"', 'not-json'],
    ['{"id":"unfinished', 'not-json'],
    [`{"id":"q1","pattern":"p","payload":"${'ü'.repeat(500)}"}`, 'too-large'],
  ])('is dropped with a reason: %s', (text, reason) => {
    expect(parse(text)).toMatchObject({ outcome: 'unreadable', reason });
  });
  it('names both missing fields', () => {
    expect(parse('{"id":""}')).toMatchObject({
      text: "validaten failed for datagram: Field 'Id' failed validation, Condition: required | Field 'Pattern' failed validation, Condition: required",
    });
  });
});

it('a broken frame of 10 MB is looked through only at its front', () => {
  const text = `{"payload":"${'x'.repeat(10_000_000)}","id":"q1"`;
  expect(parseDatagram(text, { ...options, maxBytes: 100_000_000 })).toMatchObject({ outcome: 'unreadable', reason: 'not-json' });
});
