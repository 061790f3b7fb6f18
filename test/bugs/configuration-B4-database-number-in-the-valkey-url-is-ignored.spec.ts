import { describe, expect, it } from 'vitest';
import { createConfiguration, valkeyTarget } from '../../domain/configuration/index.ts';

const targetOf = (address: string) =>
  valkeyTarget(createConfiguration({ env: { MO_CLUSTER_NAME: 'dev', MO_VALKEY_ADDR: address, MO_VALKEY_DATABASE: '7' }, folder: '/' }));

describe('a Valkey URL', () => {
  it('names the database', () => {
    expect(targetOf('valkey://host/3')).toEqual({ host: 'host', port: 6379, username: '', password: '', database: 3 });
  });

  it('with TLS, and with special characters in user and password', () => {
    expect(targetOf('rediss://op%40erator:p%3A%2F%3F%23%5B%5D%40%25%20w@host:6380/0')).toEqual({
      host: 'host',
      port: 6380,
      username: 'op@erator',
      password: 'p:/?#[]@% w',
      database: 0,
      tls: { verify: true, caFile: '' },
    });
  });

  it('without a database leaves it to MO_VALKEY_DATABASE', () => {
    expect(targetOf('valkey://host:6380').database).toBe(7);
    expect(targetOf('valkey://host:6380/').database).toBe(7);
  });
});
