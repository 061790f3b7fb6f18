import { expect, it } from 'vitest';
import { apiContract, failure, listAt, textAt } from '../../support/kubernetes/index.ts';

const all = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const aggregatedType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const named = (list: unknown, path: string, key: string, name: string) => listAt(list, path).find((each) => textAt(each, key) === name);
const withoutHash = (entry: unknown) => ({ ...(typeof entry === 'object' ? entry : {}), storageVersionHash: undefined });

apiContract('discovery', (api) => {
  const body = async (path: string, accept?: string) => (await api.call('GET', path, accept === undefined ? {} : { accept })).body;

  it('names its version', async () => {
    expect(await body('/version')).toMatchObject({ major: '1', minor: '34', gitVersion: 'v1.34.4' });
  });
  it.each(['/readyz', '/livez', '/healthz'])('says ok at %s', async (path) => {
    const { status, body: text, type } = await api.call('GET', path);
    expect({ status, text, type }).toEqual({ status: 200, text: 'ok', type: 'text/plain; charset=utf-8' });
  });
  it('serves v1 of the core group', async () => {
    expect(await body('/api')).toMatchObject({ kind: 'APIVersions', versions: ['v1'] });
  });
  it('lists groups with the version it prefers', async () => {
    const version = { groupVersion: 'apps/v1', version: 'v1' };
    expect(named(await body('/apis'), 'groups', 'name', 'apps')).toEqual({ name: 'apps', versions: [version], preferredVersion: version });
  });
  it('describes one group', async () => {
    const version = { groupVersion: 'coordination.k8s.io/v1', version: 'v1' };
    expect(await body('/apis/coordination.k8s.io')).toMatchObject({
      kind: 'APIGroup',
      apiVersion: 'v1',
      name: 'coordination.k8s.io',
      preferredVersion: version,
    });
  });
  it.each([
    ['/api/v1', { name: 'namespaces', singularName: 'namespace', namespaced: false, kind: 'Namespace', shortNames: ['ns'] }],
    ['/api/v1', { name: 'configmaps', singularName: 'configmap', namespaced: true, kind: 'ConfigMap', verbs: all, shortNames: ['cm'] }],
    ['/api/v1', { name: 'secrets', singularName: 'secret', namespaced: true, kind: 'Secret', verbs: all }],
    [
      '/apis/apps/v1',
      {
        name: 'deployments',
        singularName: 'deployment',
        namespaced: true,
        kind: 'Deployment',
        verbs: all,
        shortNames: ['deploy'],
        categories: ['all'],
      },
    ],
    [
      '/apis/apps/v1',
      { name: 'deployments/status', singularName: '', namespaced: true, kind: 'Deployment', verbs: ['get', 'patch', 'update'] },
    ],
    [
      '/apis/batch/v1',
      { name: 'cronjobs', singularName: 'cronjob', namespaced: true, kind: 'CronJob', shortNames: ['cj'], categories: ['all'] },
    ],
    [
      '/apis/networking.k8s.io/v1',
      { name: 'networkpolicies', singularName: 'networkpolicy', namespaced: true, kind: 'NetworkPolicy', shortNames: ['netpol'] },
    ],
    ['/apis/networking.k8s.io/v1', { name: 'ingresses', singularName: 'ingress', namespaced: true, kind: 'Ingress', shortNames: ['ing'] }],
    [
      '/apis/rbac.authorization.k8s.io/v1',
      { name: 'rolebindings', singularName: 'rolebinding', namespaced: true, kind: 'RoleBinding', verbs: all },
    ],
    ['/apis/coordination.k8s.io/v1', { name: 'leases', singularName: 'lease', namespaced: true, kind: 'Lease', verbs: all }],
    [
      '/apis/apiextensions.k8s.io/v1',
      { name: 'customresourcedefinitions', namespaced: false, shortNames: ['crd', 'crds'], categories: ['api-extensions'] },
    ],
    ['/apis/authentication.k8s.io/v1', { name: 'tokenreviews', singularName: 'tokenreview', namespaced: false, verbs: ['create'] }],
    [
      '/apis/autoscaling/v2',
      { name: 'horizontalpodautoscalers', kind: 'HorizontalPodAutoscaler', shortNames: ['hpa'], categories: ['all'] },
    ],
    ['/apis/storage.k8s.io/v1', { name: 'storageclasses', singularName: 'storageclass', namespaced: false, shortNames: ['sc'] }],
    ['/apis/policy/v1', { name: 'poddisruptionbudgets', shortNames: ['pdb'] }],
    ['/apis/discovery.k8s.io/v1', { name: 'endpointslices', singularName: 'endpointslice', namespaced: true }],
  ])('lists resources of %s: %o', async (path, entry) => {
    expect(named(await body(path), 'resources', 'name', entry.name)).toMatchObject(entry);
  });
  it('lists a custom kind and its status', async () => {
    const list = await body(`/apis/${api.group}/v1`);
    expect(list).toMatchObject({ kind: 'APIResourceList', apiVersion: 'v1', groupVersion: `${api.group}/v1` });
    expect(withoutHash(named(list, 'resources', 'name', 'things'))).toEqual({
      name: 'things',
      singularName: 'thing',
      namespaced: true,
      kind: 'Thing',
      verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
      shortNames: ['th'],
      categories: ['all'],
    });
    expect(named(list, 'resources', 'name', 'things/status')).toMatchObject({ verbs: ['get', 'patch', 'update'] });
  });
  it('tells the core group in one answer', async () => {
    const { body: list, type } = await api.call('GET', '/api', { accept: aggregatedType });
    expect(type).toBe(aggregatedType);
    const resources = listAt(listAt(list, 'items')[0], 'versions')[0];
    expect(named(resources, 'resources', 'resource', 'configmaps')).toEqual({
      resource: 'configmaps',
      responseKind: { group: '', version: '', kind: 'ConfigMap' },
      scope: 'Namespaced',
      singularResource: 'configmap',
      verbs: all,
      shortNames: ['cm'],
    });
  });
  it('tells a custom group in one answer', async () => {
    let found: unknown;
    await api.until(async () => {
      found = named(await body('/apis', aggregatedType), 'items', 'metadata.name', api.group);
      return found !== undefined;
    });
    const responseKind = { group: 'GROUP', version: 'v1', kind: 'Thing' };
    expect(api.tidy(found)).toEqual({
      metadata: { name: 'GROUP' },
      versions: [
        {
          version: 'v1',
          freshness: 'Current',
          resources: [
            {
              resource: 'things',
              responseKind,
              scope: 'Namespaced',
              singularResource: 'thing',
              verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
              shortNames: ['th'],
              categories: ['all'],
              subresources: [{ subresource: 'status', responseKind, verbs: ['get', 'patch', 'update'] }],
            },
          ],
        },
      ],
    });
  });
  it.each(['/foo', '/apis/nope.example.org', '/apis/nope.example.org/v1', '/apis/nope.example.org/v1/things'])(
    'knows nothing at %s',
    async (path) => {
      const { status, body: text } = await api.call('GET', path);
      expect({ status, text }).toEqual({ status: 404, text: '404 page not found\n' });
    },
  );
  it.each(['/api/v1/foos', '/apis/apps/v1/foos', '/api/v1/namespaces/default/foos'])('has no such resource at %s', async (path) => {
    expect(await api.answer('GET', path)).toEqual(failure(404, 'NotFound', 'the server could not find the requested resource', {}));
  });
});
