/**
 * Tests the Kubernetes manifests: they contain no unknown field, refer only to what exists, are hardened, and give the
 * nodes the same settings and the NATS servers the same configuration as the other files in `deploy/`.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { loadSettings, type SettingEntry, settingEntries } from '../../config/load.ts';
import { natsAddressesOf } from '../../config/nats-addresses.ts';
import { healthPath } from '../../src/http/health.ts';
import { pathOf, readEnvironment, readManifests, readText, readYaml } from '../helpers/deploy-files.ts';

/** Any part of a manifest. */
// biome-ignore lint/suspicious/noExplicitAny: the manifests have many shapes, and the tests say what they expect
type Part = any;

interface Kustomization {
  namespace: string;
  resources: string[];
  configMapGenerator: { name: string; files?: string[]; envs?: string[] }[];
  images: { name: string; newName: string; newTag: string }[];
}

/** The secrets that the handbook tells operators to make, with their files. */
const secrets: Record<string, RegExp> = {
  'nats-certificates': /ca\.pem.*nats-0\.nats\.pem/s,
  'tidings-certificates': /ca\.pem.*tidings\.pem/s,
  'tidings-secrets': /settings\.json/,
};

const folder = 'deploy/kubernetes';
const kustomization = readYaml<Kustomization>(`${folder}/kustomization.yaml`);
const manifests = kustomization.resources.flatMap((file) => readManifests<Part>(`${folder}/${file}`));
const of = (kind: string): Part[] => manifests.filter((manifest) => manifest.kind === kind);
const sets = of('StatefulSet');
const setOf = (name: string): Part => sets.find(({ metadata }) => metadata.name === name) ?? assert.fail(name);
const podOf = (set: Part): Part => set.spec.template.spec;
const containersOf = (set: Part): Part[] => [...(podOf(set).initContainers ?? []), ...podOf(set).containers];
const nats = setOf('nats');
const tidings = setOf('tidings');
const natsConfig = readText(`${folder}/nats-server.conf`);

/** Returns the environment of a container of the first pod of a set. */
function environmentOf(set: Part, { env, envFrom = [] }: Part): Record<string, string> {
  const found: Record<string, string> = {};
  for (const { configMapRef } of envFrom) {
    const generator = kustomization.configMapGenerator.find(({ name }) => name === configMapRef.name);
    Object.assign(found, readEnvironment(`${folder}/${generator?.envs?.[0]}`));
  }
  for (const { name, value, valueFrom } of env) {
    if (valueFrom) assert.equal(valueFrom.fieldRef.fieldPath, 'metadata.name');
    const text = (value ?? `${set.metadata.name}-0`) as string;
    found[name] = text.replace(/\$\((\w+)\)/g, (_, other: string) => found[other] ?? assert.fail(other));
  }
  return found;
}

/**
 * All names of fields in the manifests. Each was checked with the schemas of Kubernetes 1.27, in which they are where the
 * manifests have them. A name that is mistyped is not in the list.
 */
const fields = new Set(
  `accessModes affinity allowPrivilegeEscalation apiVersion automountServiceAccountToken capabilities clusterIP command
  configMap configMapRef containerPort containers cpu data defaultMode drop emptyDir enableServiceLinks env envFrom exec
  failureThreshold fieldPath fieldRef from fsGroup fsGroupChangePolicy httpGet image ingress initContainers kind
  labelSelector labels lifecycle limits livenessProbe matchLabels maxSkew maxUnavailable medium memory metadata
  minReadySeconds mountPath name namespaceSelector path periodSeconds persistentVolumeClaimRetentionPolicy
  podAntiAffinity podManagementPolicy podSelector policyTypes port ports preStop publishNotReadyAddresses
  readOnly readOnlyRootFilesystem readinessProbe replicas requests requiredDuringSchedulingIgnoredDuringExecution resources
  runAsGroup runAsNonRoot runAsUser seccompProfile secret secretName securityContext selector serviceName sizeLimit spec
  startupProbe storage subPath targetPort template terminationGracePeriodSeconds timeoutSeconds topologyKey
  topologySpreadConstraints type value valueFrom volumeClaimTemplates volumeMounts volumes whenDeleted whenScaled
  whenUnsatisfiable`.split(/\s+/),
);

/** Returns the names of all fields below a part. The names of labels are not fields. */
function fieldsOf(part: Part, parent = ''): string[] {
  if (Array.isArray(part)) return part.flatMap((each) => fieldsOf(each, parent));
  if (typeof part !== 'object' || part === null) return [];
  const own = parent === 'labels' || parent === 'matchLabels' || parent === 'selector' ? [] : Object.keys(part);
  const isSelector = parent === 'selector' && 'matchLabels' in part;
  return [
    ...own,
    ...(isSelector ? ['matchLabels'] : []),
    ...Object.keys(part).flatMap((key) => fieldsOf(part[key], key)),
  ];
}

test('the manifests contain no unknown field', () => {
  assert.ok(manifests.length >= 10);
  assert.deepEqual(
    [...new Set(manifests.flatMap((manifest) => fieldsOf(manifest)))].filter((name) => !fields.has(name)),
    [],
  );
  const mistyped = { spec: { minReadySecond: 10, labels: { anything: 'x' } } };
  assert.deepEqual(fieldsOf(mistyped), ['spec', 'minReadySecond', 'labels'], 'a mistyped field would be found');
});

test('all objects have a known kind, and are in the namespace that is made', () => {
  const kinds = manifests.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`);
  assert.deepEqual([...new Set(kinds)].sort(), [
    'apps/v1 StatefulSet',
    'networking.k8s.io/v1 NetworkPolicy',
    'policy/v1 PodDisruptionBudget',
    'v1 Namespace',
    'v1 Service',
  ]);
  assert.equal(of('Namespace')[0].metadata.name, kustomization.namespace);
  assert.equal(of('Namespace')[0].metadata.labels['pod-security.kubernetes.io/enforce'], 'restricted');
});

test('images have a version, which is that of Tidings, and of the NATS server in Compose', () => {
  const [image] = kustomization.images;
  assert.deepEqual([image?.name, image?.newTag], ['tidings', JSON.parse(readText('package.json')).version]);
  for (const container of containersOf(tidings)) assert.equal(container.image, 'tidings');
  const compose = readYaml<Part>('deploy/cluster/compose.yaml');
  assert.equal(podOf(nats).containers[0].image, compose.services['nats-1'].image);
});

test('selectors find the pods, services name their ports, and the sets have their services', () => {
  for (const set of sets) {
    const labels = set.spec.template.metadata.labels;
    assert.deepEqual(set.spec.selector.matchLabels, labels);
    const service = of('Service').find(({ metadata }) => metadata.name === set.spec.serviceName);
    assert.equal(service?.spec.clusterIP, 'None', set.metadata.name);
    assert.equal(service?.spec.publishNotReadyAddresses, true);
    for (const constraint of podOf(set).topologySpreadConstraints)
      assert.deepEqual(constraint.labelSelector.matchLabels, labels);
    for (const rule of podOf(set).affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution) {
      assert.deepEqual([rule.labelSelector.matchLabels, rule.topologyKey], [labels, 'kubernetes.io/hostname']);
    }
    const budget = of('PodDisruptionBudget').find(({ metadata }) => metadata.name === set.metadata.name);
    assert.deepEqual([budget?.spec.maxUnavailable, budget?.spec.selector.matchLabels], [1, labels]);
  }
  for (const { spec, metadata } of of('Service')) {
    const set = sets.find(
      (each) =>
        each.spec.template.metadata.labels['app.kubernetes.io/name'] === spec.selector['app.kubernetes.io/name'],
    );
    const names = podOf(set).containers.flatMap(({ ports }: Part) => ports.map(({ name }: Part) => name));
    for (const { targetPort } of spec.ports) assert.ok(names.includes(targetPort), `${metadata.name}: ${targetPort}`);
  }
});

test('pods are restricted, and get no token and no variables of services', () => {
  for (const set of sets) {
    const { securityContext, ...pod } = podOf(set);
    assert.deepEqual([pod.automountServiceAccountToken, pod.enableServiceLinks], [false, false]);
    const { runAsNonRoot, runAsUser, fsGroup, fsGroupChangePolicy, seccompProfile } = securityContext;
    assert.deepEqual([runAsNonRoot, runAsUser, fsGroup, seccompProfile.type], [true, 1000, 1000, 'RuntimeDefault']);
    // With the other policy, each start of the pod opens the files of the data directory to the group.
    assert.equal(fsGroupChangePolicy, 'OnRootMismatch');
    for (const container of containersOf(set)) {
      assert.deepEqual(container.securityContext, {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      assert.ok(container.resources.limits.memory && container.resources.requests.cpu, container.name);
    }
  }
});

test('mounts have volumes, and volumes come from what kustomize or the operator makes', () => {
  const generated = kustomization.configMapGenerator.map(({ name }) => name);
  const page = readText('docs/operations.md');
  for (const set of sets) {
    const volumes = [...podOf(set).volumes, ...set.spec.volumeClaimTemplates.map(({ metadata }: Part) => metadata)];
    const names = volumes.map(({ name }) => name);
    for (const container of containersOf(set))
      for (const { name } of container.volumeMounts) assert.ok(names.includes(name), name);
    for (const { configMap, secret } of podOf(set).volumes) {
      if (configMap) assert.ok(generated.includes(configMap.name), configMap.name);
      if (!secret) continue;
      assert.equal(secret.defaultMode, 0o440);
      const files = secrets[secret.secretName] ?? assert.fail(secret.secretName);
      const [, command = ''] =
        new RegExp(`create secret generic ${secret.secretName}((?:.*\\\\\\n)*.*)`).exec(page) ?? [];
      assert.match(command, files, `docs/operations.md makes ${secret.secretName}`);
    }
  }
  for (const { files = [], envs = [] } of kustomization.configMapGenerator)
    for (const file of [...files, ...envs]) assert.ok(readFileSync(pathOf(`${folder}/${file}`)).length > 0);
});

test('the nodes have the settings of the other files, and reach the NATS servers by their names', () => {
  const [identity, container] = containersOf(tidings);
  const environment = environmentOf(tidings, container);
  assert.deepEqual(environmentOf(tidings, identity), environment);
  const known = [...settingEntries.map(({ env }) => env), 'TIDINGS_CONFIG'];
  for (const name of Object.keys(environment)) assert.ok(known.includes(name), name);
  for (const { env, secret } of settingEntries)
    if (secret && env !== 'TIDINGS_NATS_URL') assert.ok(!(env in environment), env);
  const settings = loadSettings({ ...environment, TIDINGS_CONFIG: pathOf('deploy/settings.example.json') });
  const compose = readYaml<Part>('deploy/cluster/compose.yaml').services['tidings-a'].environment;
  for (const name of ['TIDINGS_PARTITIONS', 'TIDINGS_JOURNAL_REPLICAS', 'TIDINGS_JOURNAL_MAX_BYTES'])
    assert.equal(environment[name], compose[name], name);
  const servers = Array.from({ length: nats.spec.replicas }, (_, i) => `nats-${i}.${nats.spec.serviceName}`);
  assert.deepEqual(
    natsAddressesOf(settings.natsUrl).servers,
    servers.map((server) => `${server}:4222`),
  );
  assert.deepEqual(
    settings.natsMonitor,
    servers.map((server) => `http://${server}:8222`),
  );
  assert.equal(settings.node, 'tidings-0');
  const mounts: Part[] = container.volumeMounts;
  const data = mounts.find(({ name }) => name === 'data').mountPath;
  assert.match(settings.dataDir, new RegExp(`^${data}/\\w+$`), 'the root of a volume belongs to root');
  for (const file of [
    settings.natsTlsCa,
    settings.natsTlsCert,
    settings.natsTlsKey,
    environment.TIDINGS_CONFIG as string,
  ])
    assert.ok(
      mounts.some(({ mountPath }) => file.startsWith(`${mountPath}/`)),
      file,
    );
});

test('the NATS servers have the configuration of the other files, and their own certificates', () => {
  assert.equal(natsConfig, readText('deploy/cluster/nats-server.conf'));
  const [container] = containersOf(nats);
  const environment = environmentOf(nats, container);
  assert.deepEqual(
    Object.keys(environment).sort(),
    Object.keys(readEnvironment('deploy/systemd/nats.env.example')).sort(),
  );
  assert.deepEqual(
    JSON.parse(environment.NATS_ROUTES as string),
    [0, 1, 2].map((i) => `tls://nats-${i}.nats:6222`),
  );
  assert.equal(environment.NATS_CERT, '/etc/nats/certificates/nats-0.nats.pem');
  const mounts: Part[] = container.volumeMounts;
  for (const path of [environment.NATS_CERT, environment.NATS_KEY, environment.NATS_CA, environment.NATS_STORE])
    assert.ok(
      mounts.some(({ mountPath }) => path?.startsWith(`${mountPath}/`)),
      path,
    );
  assert.equal(mounts.find(({ name }) => name === 'config').mountPath, container.command.at(-1));
  const [, gigabytes] = /max_file_store: (\d+)GB/.exec(natsConfig) ?? [];
  const { storage } = nats.spec.volumeClaimTemplates[0].spec.resources.requests;
  assert.ok(Number(/^(\d+)Gi$/.exec(storage)?.[1]) > Number(gigabytes), 'the disk is larger than the streams');
});

test('probes ask the right port and path, and a stop has enough time', () => {
  const portOf = (name: string) => (settingEntries.find(({ env }) => env === name) as SettingEntry).default;
  const [, node] = containersOf(tidings);
  assert.deepEqual(
    node.ports.map(({ containerPort }: Part) => containerPort),
    [portOf('TIDINGS_PORT'), portOf('TIDINGS_OPS_PORT')],
  );
  const asks = ({ startupProbe, livenessProbe, readinessProbe }: Part) =>
    [startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => `${httpGet.port}${httpGet.path}`);
  assert.deepEqual(asks(node), [`ops${healthPath}`, `ops${healthPath}`, 'ops/readyz']);
  const [server] = containersOf(nats);
  assert.deepEqual(asks(server), [
    'monitor/healthz',
    'monitor/healthz?js-enabled-only=true',
    'monitor/healthz?js-server-only=true',
  ]);
  assert.deepEqual(
    server.ports.map(({ containerPort }: Part) => containerPort),
    [4222, 6222, 8222],
  );
  assert.deepEqual(server.lifecycle.preStop.exec.command, ['nats-server', '--signal', 'ldm=1']);
  // A stop of a node takes at most 50 seconds, lame duck mode at most 35.
  for (const set of sets) assert.ok(podOf(set).terminationGracePeriodSeconds >= 60);
});

test('only the pods and the monitoring that need a port may reach it', () => {
  const [forNats, forTidings] = of('NetworkPolicy').map(({ spec }) => spec.ingress as Part[]);
  const namesOf = (rules: Part[] = []) =>
    rules.map(({ from, ports }) => [
      from
        ?.map(
          ({ podSelector, namespaceSelector }: Part) =>
            Object.values((podSelector ?? namespaceSelector).matchLabels)[0],
        )
        .join() ?? 'all',
      ports.map(({ port }: Part) => port).join(),
    ]);
  assert.deepEqual(namesOf(forNats), [
    ['tidings', 'client,monitor'],
    ['nats', 'route'],
  ]);
  assert.deepEqual(namesOf(forTidings), [
    ['all', 'api'],
    ['monitoring', 'ops'],
  ]);
});

const noKubectl = spawnSync('kubectl', ['kustomize', '--help']).status !== 0 && 'kubectl is not installed';

test('kustomize puts the manifests together', { skip: noKubectl }, () => {
  const { status, stdout, stderr } = spawnSync('kubectl', ['kustomize', pathOf(folder)], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  assert.equal(stdout.match(/^kind: /gm)?.length, manifests.length + kustomization.configMapGenerator.length);
  assert.match(stdout, /image: registry\.example\.com\/tidings:\d+\.\d+\.\d+/);
});
