import { readFileSync } from 'node:fs';
import { systemClock } from '../../../adapters/clock/index.ts';
import { createWire, examine, type Wire } from '../../../adapters/valkey/index.ts';
import { type Configuration, valkeyTarget } from '../../../domain/configuration/index.ts';
import { StoreUnsuitable } from '../../../domain/errors.ts';
import { type Finding, fail, ok, sentence, warn } from '../../findings/index.ts';

const patience = 5_000;
const enough = 1_000;
const check = 'Valkey';

/** Whether Valkey answers and may hold the log: its version, role, eviction policy, and whether it keeps what the durability promises. */
export async function checkValkey(config: Configuration, signal: AbortSignal): Promise<readonly Finding[]> {
  const { tls, username, password, ...address } = valkeyTarget(config);
  const place = `${address.host}:${address.port}`;
  let wire: Wire | undefined;
  try {
    wire = createWire({
      ...address,
      ...(username === '' ? {} : { username }),
      ...(password === '' ? {} : { password }),
      ...(tls
        ? { tls: { servername: address.host, rejectUnauthorized: tls.verify, ...(tls.caFile ? { ca: readFileSync(tls.caFile) } : {}) } }
        : {}),
      name: 'mogenius-operator/system',
      clock: systemClock,
      deadline: patience,
    });
    if (!(await reached(wire, signal)))
      return [
        fail(
          check,
          `${place} does not answer: ${wire.reason}`,
          'Check that Valkey runs, that MO_VALKEY_ADDR leads there, and the password.',
        ),
      ];
    const found = await examine(wire, config.get('MO_EVENT_DURABILITY'));
    const { server, version, warnings } = found;
    return [
      ok(check, `${server} ${version} at ${place}, durability ${config.get('MO_EVENT_DURABILITY')}`),
      ...warnings.map((text) => warn(check, text, 'See docs/operating.md for what each setting means for the log.')),
    ];
  } catch (error) {
    if (StoreUnsuitable.is(error)) return [fail(check, error.data.reason, `${error.data.remedy}.`)];
    return [fail(check, `${place}: ${sentence(error)}`, 'Check that Valkey runs and the MO_VALKEY_ settings fit it.')];
  } finally {
    wire?.close();
  }
}

/** False when it stays unreachable: after `patience`, or sooner when it refused for a while. Waiting doesn't mend a refusal, but it may just be starting. */
async function reached(wire: Wire, signal: AbortSignal): Promise<boolean> {
  const first = wire.reason;
  const giveUp = new AbortController();
  let refusedAt: number | undefined;
  const look = setInterval(() => {
    if (wire.reason !== first) refusedAt ??= performance.now();
    if (refusedAt !== undefined && performance.now() - refusedAt > enough) giveUp.abort();
  }, 50);
  try {
    await wire.whenUp(AbortSignal.any([signal, giveUp.signal, AbortSignal.timeout(patience)]));
    return true;
  } catch {
    signal.throwIfAborted();
    return false;
  } finally {
    clearInterval(look);
  }
}
