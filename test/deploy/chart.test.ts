/** The settings of the Helm chart: what its schema takes and refuses, and that they are the ones of the product. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import t from 'tap'
import { parse } from 'yaml'
import { root } from '../support/root.ts'

const read = (file: string) => readFileSync(join(root, 'deploy/chart', file), 'utf8')
const values = parse(read('values.yaml'))
const schema = JSON.parse(read('values.schema.json'))
const validate = new Ajv({ allErrors: true }).compile(schema)
const given = { ...values, baseUrl: 'https://parley.example.com' }

t.test('the chart has the version of the product', async (t) => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  t.match(parse(read('Chart.yaml')), { version, appVersion: version })
})

t.test('the defaults with an address are valid', async (t) => {
  t.ok(validate(given), JSON.stringify(validate.errors))
})

const REFUSED: [string, object][] = [
  ['no address', { baseUrl: '' }],
  ['an address with a path', { baseUrl: 'https://parley.example.com/api' }],
  ['no name of the Secret', { existingSecret: '' }],
  ['no replica', { replicas: 0 }],
  ['half a replica', { replicas: 1.5 }],
  ['a value that is not there', { replicaCount: 3 }],
  ['a setting in small letters', { settings: { parley_retention_days: '60' } }],
  ['a setting that is a number', { settings: { PARLEY_RETENTION_DAYS: 60 } }],
  ['a secret among the settings', { settings: { PARLEY_SECRET: 'x' } }],
  ['a volume without a claim', { files: { kept: 'volume', existingClaim: '' } }],
  ['an ingress without a host', { ingress: { enabled: true, host: '' } }],
  ['an unknown place of files', { files: { kept: 'bucket' } }],
  ['a pause of an hour', { stop: { pauseSeconds: 3600, graceSeconds: 5, requestsSeconds: 60 } }],
]
for (const [name, patch] of REFUSED) {
  t.test(`refused: ${name}`, async (t) => t.notOk(validate({ ...given, ...patch })))
}

type Described = { properties?: Record<string, Described> }

t.test('each value is described in the schema, and each group of them explained', async (t) => {
  const walk = (values: Record<string, unknown>, { properties = {} }: Described, path: string) => {
    for (const [name, value] of Object.entries(values)) {
      const own = properties[name]
      t.ok(own, `${path}${name} in values.schema.json`)
      const is_group = value !== null && typeof value === 'object' && !Array.isArray(value) && own?.properties
      if (is_group) walk(value as Record<string, unknown>, own, `${path}${name}.`)
    }
  }
  walk(values, schema, '')
})

t.test('variables that the templates set are settings of Parley', async (t) => {
  const known = new Set(
    readFileSync(join(root, 'docs/configuration.md'), 'utf8').match(/\b(?:PARLEY_[A-Z_]+|\w+_URL)\b/g),
  )
  for (const name of read('templates/_helpers.tpl').match(/PARLEY_[A-Z_]+/g) ?? []) t.ok(known.has(name), name)
  const refused = schema.properties.settings.propertyNames.not.enum as string[]
  for (const name of refused) t.ok(known.has(name), name)
})
