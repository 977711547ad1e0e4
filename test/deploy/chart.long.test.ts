/** The Helm chart as a cluster would get it. */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { root } from '../support/root.ts'
import { type Asked, buildRenderer, type KubernetesObject, type Renderer } from './helm/render.ts'

type Pod = {
  metadata: { labels: Record<string, string> }
  spec: {
    terminationGracePeriodSeconds: number
    enableServiceLinks: boolean
    securityContext: object
    containers: { env: { name: string; value: string }[]; lifecycle?: object; securityContext: object }[]
  }
}

/** The types of Kubernetes by kind, and their module in `kubernetes-types`. The kinds of the Prometheus operator have none there. */
const TYPES: Record<string, string> = {
  Deployment: 'apps/v1',
  Job: 'batch/v1',
  Service: 'core/v1',
  ServiceAccount: 'core/v1',
  Pod: 'core/v1',
  PodDisruptionBudget: 'policy/v1',
  NetworkPolicy: 'networking/v1',
  Ingress: 'networking/v1',
}
const OPERATORS = ['PodMonitor', 'PrometheusRule']
const baseUrl = 'https://parley.example.com'
const SETS: Record<string, Asked['values']> = {
  'the defaults': { baseUrl },
  'everything on': {
    baseUrl,
    trustedProxies: '10.0.0.0/8',
    imagePullSecrets: [{ name: 'registry' }],
    settings: { PARLEY_RETENTION_DAYS: '60' },
    files: { kept: 'volume', existingClaim: 'files' },
    service: { type: 'LoadBalancer', annotations: { a: 'b' } },
    ingress: {
      enabled: true,
      className: 'nginx',
      annotations: { c: 'd' },
      host: 'parley.example.com',
      tlsSecret: 'tls',
    },
    antiAffinity: 'required',
    nodeSelector: { 'kubernetes.io/arch': 'amd64' },
    tolerations: [{ key: 'talk', operator: 'Exists', effect: 'NoSchedule' }],
    priorityClassName: 'high',
    networkPolicy: {
      apiFrom: [{ namespaceSelector: { matchLabels: { name: 'ingress' } } }],
      metricsFrom: [{ podSelector: { matchLabels: { app: 'prometheus' } } }],
    },
    monitoring: { podMonitor: true, rules: true, labels: { release: 'prometheus' } },
    serviceAccount: { annotations: { role: 'files' } },
    podAnnotations: { e: 'f' },
    podLabels: { team: 'talk' },
  },
  'as little as possible': {
    baseUrl,
    replicas: 1,
    files: { kept: 'node' },
    stop: { pauseSeconds: 0 },
    antiAffinity: 'none',
    migration: { enabled: false },
    networkPolicy: { enabled: false },
    disruptionBudget: { enabled: false },
  },
}

type Labelled = { matchLabels: Record<string, string> }
type Selecting = { selector: Record<string, string> & Labelled; podSelector: Labelled }

const built = await buildRenderer(t)
if (typeof built === 'string') t.pass(built)
else tests(built)

function tests(render: Renderer) {
  const objectsOf = async (asked: Asked): Promise<KubernetesObject[]> => {
    const rendered = await render(asked)
    if ('error' in rendered) throw new Error(rendered.error)
    return rendered.objects
  }
  const podOf = (objects: KubernetesObject[], kind = 'Deployment') =>
    (objects.find((one) => one.kind === kind) as unknown as { spec: { template: Pod } }).spec.template

  t.test('each object is one of Kubernetes, field by field', async (t) => {
    const lines: string[] = []
    for (const [name, values] of Object.entries(SETS)) {
      for (const object of await objectsOf({ values })) {
        if (OPERATORS.includes(object.kind)) continue
        const path = TYPES[object.kind]
        t.ok(path, object.kind)
        const label = `object_${lines.length}`
        lines.push(
          `/* ${name} */ export const ${label}: import('kubernetes-types/${path}').${object.kind} = ${JSON.stringify(object)}`,
        )
      }
    }
    const cache = join(root, 'node_modules/.cache')
    mkdirSync(cache, { recursive: true })
    const home = mkdtempSync(join(cache, 'chart-'))
    t.teardown(() => rmSync(home, { recursive: true }))
    const compile = async (text: string) => {
      writeFileSync(join(home, 'objects.ts'), text)
      const how = '--noEmit --strict --module esnext --moduleResolution bundler --ignoreConfig'.split(' ')
      const args = [...how, '--types', '', join(home, 'objects.ts')]
      const run = promisify(execFile)(join(root, 'node_modules/.bin/tsc'), args, { cwd: home })
      return run.then(
        () => '',
        ({ stdout }: { stdout: string }) => stdout,
      )
    }
    t.equal(await compile(lines.join('\n')), '')
    const wrong = lines.map((line) => line.replace('"readinessProbe"', '"readynessProbe"')).join('\n')
    t.match(await compile(wrong), /readynessProbe/, 'a misspelt field is found')
  })

  t.test('the chart makes no secret, and an upgrade changes nothing by itself', async (t) => {
    for (const values of Object.values(SETS)) {
      const objects = await objectsOf({ values })
      t.notOk(objects.some(({ kind }) => kind === 'Secret'))
      t.strictSame(await objectsOf({ values, is_upgrade: true }), objects)
    }
  })

  t.test('the wait before a kill is longer than all that a pod does to stop', async (t) => {
    const stop = { pauseSeconds: 7, graceSeconds: 11, requestsSeconds: 300 }
    const { spec } = podOf(await objectsOf({ values: { baseUrl, stop } }))
    t.equal(spec.terminationGracePeriodSeconds, 7 + 11 + 300 + 35)
    t.match(spec.containers[0], {
      lifecycle: { preStop: { sleep: { seconds: 7 } } },
      env: [
        { name: 'PARLEY_BASE_URL' },
        { name: 'PARLEY_PORT' },
        { name: 'PARLEY_METRICS_HOST' },
        { name: 'PARLEY_METRICS_PORT' },
        { name: 'PARLEY_STOP_GRACE_SECONDS', value: '11' },
        { name: 'PARLEY_STOP_REQUESTS_SECONDS', value: '300' },
        { name: 'PARLEY_DEPLOYMENT_RELEASE', value: /^\d+\.\d+\.\d+$/ },
      ],
    })
  })

  t.test('pods have no rights, and the environment nothing of the service', async (t) => {
    const objects = await objectsOf({ values: { baseUrl } })
    for (const { spec } of [podOf(objects), podOf(objects, 'Job')]) {
      t.match(spec, {
        enableServiceLinks: false,
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
        containers: [
          {
            securityContext: {
              readOnlyRootFilesystem: true,
              allowPrivilegeEscalation: false,
              capabilities: { drop: ['ALL'] },
            },
          },
        ],
      })
    }
  })

  t.test('the service, the budget and the policy take the pods, and not the job that migrates', async (t) => {
    const objects = await objectsOf({ values: { baseUrl } })
    const spec = (kind: string) => (objects.find((one) => one.kind === kind) as unknown as { spec: Selecting }).spec
    const selectors: Record<string, string>[] = [
      spec('Service').selector,
      spec('PodDisruptionBudget').selector.matchLabels,
      spec('NetworkPolicy').podSelector.matchLabels,
      spec('Deployment').selector.matchLabels,
    ]
    const takes = (selector: Record<string, string>, { metadata: { labels } }: Pod) =>
      Object.entries(selector).every(([name, value]) => labels[name] === value)
    for (const selector of selectors) {
      t.ok(takes(selector, podOf(objects)))
      t.notOk(takes(selector, podOf(objects, 'Job')))
    }
  })

  t.test('the migration runs before the pods change', async (t) => {
    const job = (await objectsOf({ values: { baseUrl } })).find(({ kind }) => kind === 'Job')!
    t.equal(job.metadata.annotations?.['helm.sh/hook'], 'pre-install,pre-upgrade')
  })

  t.test('two releases in one namespace do not meet, and long names are cut', async (t) => {
    const names = async (release: string) =>
      (await objectsOf({ values: { baseUrl }, release })).map(({ kind, metadata }) => `${kind} ${metadata.name}`)
    const [one, other, long] = await Promise.all([names('parley'), names('second'), names('a'.repeat(53))])
    t.strictSame(
      one.filter((name) => other.includes(name)),
      [],
    )
    for (const name of long) t.ok(name.slice(name.indexOf(' ') + 1).length <= 63, name)
  })

  t.test('several replicas with files of their own are refused in a sentence', async (t) => {
    const rendered = await render({ values: { baseUrl, files: { kept: 'node' } } })
    t.match(rendered, {
      error: /more than one replica cannot share: choose `secret` or `volume`, or set replicas to 1/,
    })
  })

  t.test('the notes say what is missing', async (t) => {
    t.match(await render({ values: { baseUrl } }), { notes: /trustedProxies is empty.*HTTPS_REQUIRED/ })
    t.match(await render({ values: { baseUrl } }), { notes: /Nothing outside the cluster reaches it yet/ })
  })
}
