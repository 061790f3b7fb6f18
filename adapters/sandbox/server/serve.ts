import { Deletion, readDeleteOptions } from '../api/deletion.ts';
import { aggregated, coreVersions, group, groupList, resourceList, versionInfo } from '../api/discovery.ts';
import { list } from '../api/list.ts';
import { type How, Objects } from '../api/objects.ts';
import { openapi, openapiPaths } from '../api/openapi.ts';
import { review, type User } from '../api/reviews.ts';
import { prepareWatch } from '../api/watch.ts';
import type { World } from '../api/world.ts';
import { asObject, asText, isObject, type JsonObject } from '../model/json.ts';
import type { Kind, Verb } from '../model/kind.ts';
import {
  badRequest,
  forbiddenValue,
  invalid,
  methodNotAllowed,
  Refusal,
  requiredValue,
  unknownResource,
  unsupportedValue,
} from '../model/status.ts';
import { decode } from '../object/decode.ts';
import { goType } from '../object/metadata.ts';
import { jsonPatch } from '../patch/json-patch.ts';
import { mergePatch } from '../patch/merge.ts';
import { strategicPatch } from '../patch/strategic.ts';
import type { Stored } from '../store/stored.ts';
import { accepted, type Show, showMany, showOne } from './accept.ts';
import { type Answer, ok, plain, type Request } from './answer.ts';
import { mediaType, patchTypes, readObject, readPatch, readYaml, unknownPatch } from './body.ts';
import { type Route, route } from './route.ts';

type ObjectRoute = Extract<Route, { is: 'object' }>;
type DiscoveryRoute = Exclude<Route, { is: 'object' } | { is: 'collection' } | { is: 'plain' } | { is: 'unknown' }>;
type CollectionRoute = Extract<Route, { is: 'collection' }>;

/** Answers requests of one API server, one at a time and each as a whole. */
export class Api {
  readonly objects: Objects;
  readonly deletion: Deletion;
  private readonly world: World;
  private readonly tokens: (token: string) => User | undefined;
  private readonly address: () => string;

  constructor(world: World, how: { readonly tokens: (token: string) => User | undefined; readonly address: () => string }) {
    this.world = world;
    this.objects = new Objects(world);
    this.deletion = new Deletion(world, this.objects);
    this.tokens = how.tokens;
    this.address = how.address;
  }

  /** Throws `Refusal`. */
  answer(request: Request, user: User): Answer {
    const at = route(this.world.registry, request.path);
    if (at.is === 'object') return this.object(at, request);
    if (at.is === 'collection') return this.collection(at, request, user);
    if (at.is === 'unknown') {
      if (at.within) throw unknownResource();
      return plain(404, '404 page not found\n');
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') throw methodNotAllowed();
    return at.is === 'plain' ? this.plain(at.path) : this.discovery(at, request);
  }

  private plain(path: string): Answer {
    if (path === '/version') return ok(JSON.stringify(versionInfo));
    if (['/readyz', '/livez', '/healthz'].includes(path)) return plain(200, 'ok');
    if (path === '/openapi/v3') return ok(JSON.stringify(openapiPaths(this.world.registry)));
    const document = path.startsWith('/openapi/v3/') ? openapi(this.world.registry, path.slice('/openapi/v3/'.length)) : undefined;
    return document ? ok(JSON.stringify(document)) : plain(404, '404 page not found\n');
  }

  private discovery(at: DiscoveryRoute, request: Request): Answer {
    const { registry } = this.world;
    const wants = accepted(request.accept).aggregated;
    const type = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
    if (at.is === 'core' || at.is === 'groups') {
      if (wants) return { code: 200, body: JSON.stringify(aggregated(registry, at.is === 'core')), type };
      return ok(JSON.stringify(at.is === 'core' ? coreVersions(this.address()) : groupList(registry)));
    }
    const found = 'name' in at ? group(registry, at.name) : resourceList(registry, at.apiVersion);
    return found ? ok(JSON.stringify(found)) : plain(404, '404 page not found\n');
  }

  private collection({ kind, namespace }: CollectionRoute, request: Request, user: User): Answer {
    const { query } = request;
    switch (request.method) {
      case 'GET':
      case 'HEAD': {
        if (['true', '1', ''].includes(query.get('watch') ?? 'false')) {
          allow(kind, 'watch');
          const show = this.show(kind, request);
          return { code: 200, watch: prepareWatch(this.world, kind, namespace, query), show: (object) => showOne(show, object) };
        }
        allow(kind, 'list');
        return this.listed(kind, namespace, request);
      }
      case 'POST':
        allow(kind, 'create');
        if (kind.namespaced && namespace === '') throw methodNotAllowed();
        return this.created(kind, namespace, request, user);
      case 'DELETE':
        allow(kind, 'deletecollection');
        if (kind.namespaced && namespace === '') throw methodNotAllowed();
        return this.emptied(kind, namespace, request);
      default:
        throw methodNotAllowed();
    }
  }

  private listed(kind: Kind, namespace: string, request: Request): Answer {
    const page = list(this.world, kind, namespace, request.query);
    return ok(showMany(this.show(kind, request), page.items, pageMetadata(page)));
  }

  private created(kind: Kind, namespace: string, request: Request, user: User): Answer {
    const body = readObject(kind, request.body, request.contentType);
    if (!kind.verbs.includes('get')) {
      const answer = review(kind.kind, decode(kind, body), { user, now: this.world.clock.now(), tokens: this.tokens });
      return ok(JSON.stringify(answer), 201);
    }
    const { how, warnings } = this.how(request, 'CreateOptions');
    return this.shown(kind, request, this.objects.create(kind, namespace, body, how), 201, warnings);
  }

  /** The objects as they were; each is deleted on its own. */
  private emptied(kind: Kind, namespace: string, request: Request): Answer {
    const options = readDeleteOptions(request.body === '' ? undefined : readPatch(request.body), request.query);
    const page = list(this.world, kind, namespace, request.query);
    const after = page.items.map((object) => this.deletion.remove(kind, namespace, asText(object.metadata.name), options).object);
    return ok(showMany(this.show(kind, request), after, { ...pageMetadata(page), resourceVersion: String(this.world.store.revision) }));
  }

  private object(at: ObjectRoute, request: Request): Answer {
    const { kind, namespace, name, subresource } = at;
    switch (request.method) {
      case 'GET':
      case 'HEAD':
        allow(kind, 'get');
        return this.shown(kind, request, this.objects.get(kind, namespace, name), 200);
      case 'PUT': {
        allow(kind, 'update');
        const { how, warnings } = this.how(request, 'UpdateOptions', subresource);
        const body = readObject(kind, request.body, request.contentType);
        if (subresource === 'finalize') return ok(JSON.stringify(this.finalized(kind, name, asObject(body))));
        return this.shown(kind, request, this.objects.replace(kind, namespace, name, body, how), 200, warnings);
      }
      case 'PATCH':
        allow(kind, 'patch');
        return this.patched(at, request);
      case 'DELETE':
        allow(kind, 'delete');
        if (subresource !== '') throw methodNotAllowed();
        return this.removed(at, request);
      default:
        throw methodNotAllowed();
    }
  }

  private finalized(kind: Kind, name: string, body: JsonObject): Stored {
    const live = this.objects.get(kind, '', name);
    const spec = asObject(body.spec);
    if (live.metadata.deletionTimestamp !== undefined && !Array.isArray(spec.finalizers)) this.objects.drop(kind, live);
    return { ...live, spec };
  }

  private patched({ kind, namespace, name, subresource }: ObjectRoute, request: Request): Answer {
    const type = mediaType(request.contentType);
    if (type === 'application/json' || type === '') throw new Refusal(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
    if (!patchTypes(kind).includes(type)) throw unknownPatch(kind);
    const { how, warnings } = this.how(request, 'PatchOptions', subresource);
    const force = request.query.get('force') === 'true';
    if (type === 'application/apply-patch+yaml') {
      if ((request.query.get('fieldManager') ?? '') === '')
        throw badOptions('PatchOptions', requiredValue('fieldManager', 'is required for apply patch'));
      const { object, created } = this.objects.apply(kind, namespace, name, readYaml(request.body, kind), how, force);
      return this.shown(kind, request, object, created ? 201 : 200, warnings);
    }
    if (request.query.get('force') !== null)
      throw badOptions('PatchOptions', forbiddenValue('force', 'may not be specified for non-apply patch'));
    const patch = readPatch(request.body);
    if (type !== 'application/json-patch+json' && !isObject(patch)) {
      throw badRequest(`error decoding patch: json: cannot unmarshal ${goType(patch)} into Go value of type map[string]interface {}`);
    }
    const change = (live: JsonObject) => {
      if (type === 'application/json-patch+json') return jsonPatch(live, patch);
      return type === 'application/merge-patch+json' ? mergePatch(live, patch) : strategicPatch(live, patch);
    };
    return this.shown(kind, request, this.objects.patch(kind, namespace, name, change, how), 200, warnings);
  }

  private removed({ kind, namespace, name }: ObjectRoute, request: Request): Answer {
    const options = readDeleteOptions(request.body === '' ? undefined : readPatch(request.body), request.query);
    const { object, gone } = this.deletion.remove(kind, namespace, name, options);
    if (!gone || (!kind.custom && returnsObject.has(kind.kind))) return this.shown(kind, request, object, 200);
    const details = { name, ...(kind.group === '' ? {} : { group: kind.group }), kind: kind.plural, uid: object.metadata.uid };
    return ok(JSON.stringify({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details }));
  }

  private show(kind: Kind, request: Request): Show {
    const { form } = accepted(request.accept);
    return { kind, form, now: this.world.clock.now(), include: request.query.get('includeObject') ?? 'Metadata' };
  }

  private shown(kind: Kind, request: Request, object: Stored, code: number, warnings: readonly string[] = []): Answer {
    return { code, body: showOne(this.show(kind, request), object), warnings };
  }

  private how(request: Request, options: string, subresource = ''): { readonly how: How; readonly warnings: readonly string[] } {
    const { query } = request;
    const dryRun = query.getAll('dryRun').filter((each) => each !== '');
    if (dryRun.some((each) => each !== 'All')) throw badOptions(options, unsupportedValue('dryRun', JSON.stringify(dryRun), ['All']));
    const asked = query.get('fieldValidation') ?? '';
    if (!['', 'Strict', 'Warn', 'Ignore'].includes(asked)) {
      throw badOptions(options, unsupportedValue('fieldValidation', JSON.stringify(asked), ['', 'Ignore', 'Strict', 'Warn']));
    }
    const warnings: string[] = [];
    const how: How = {
      dryRun: dryRun.length > 0,
      manager: query.get('fieldManager') || (request.agent.split('/')[0] ?? ''),
      bytes: request.body.length,
      subresource: subresource === 'status' ? 'status' : '',
      validation: asked === 'Strict' || asked === 'Ignore' ? asked : 'Warn',
      warn: (text) => void (warnings.length < 20 && warnings.push(text)),
    };
    return { how, warnings };
  }
}

/** Kinds whose deletion answers with the object, not with a Status. */
const returnsObject = new Set([
  'Pod',
  'Namespace',
  'PersistentVolumeClaim',
  'PersistentVolume',
  'ServiceAccount',
  'Service',
  'ResourceQuota',
]);

const badOptions = (kind: string, cause: Parameters<typeof invalid>[2][number]): Refusal =>
  invalid({ group: 'meta.k8s.io', kind }, '', [cause]);

function allow(kind: Kind, verb: Verb): void {
  if (!kind.verbs.includes(verb)) throw methodNotAllowed();
}

function pageMetadata(page: ReturnType<typeof list>): JsonObject {
  return {
    resourceVersion: page.resourceVersion,
    ...(page.continue === undefined ? {} : { continue: page.continue }),
    ...(page.remainingItemCount === undefined ? {} : { remainingItemCount: page.remainingItemCount }),
  };
}
