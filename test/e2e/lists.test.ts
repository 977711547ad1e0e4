/** The rules that all lists of the API share, for every list in the table of routes. */
import t from 'tap'
import type { JsonSchema } from '../../actors/mod.ts'
import { describeApi } from '../../http/openapi/describe.ts'
import { describableRoutes } from '../support/described.ts'
import type { Json } from './client.ts'
import { joinWorld, makeTenant } from './fixture.ts'

const world = await joinWorld(t)
const tenant = await makeTenant(world)

/** The settings of a project, one for each kind of record, and no list. */
const NO_LISTS = ['get_retention']

const { operations } = describeApi(describableRoutes().filter(({ path }) => /^\/(?:admin\/)?v1\//.test(path)))
const propertiesOf = (schema: JsonSchema | undefined) => (schema?.properties ?? {}) as Record<string, JsonSchema>
const lists = operations.filter(({ method, id, response }) => {
  return method === 'GET' && propertiesOf(response?.schema).data?.type === 'array' && !NO_LISTS.includes(id)
})

/** Parameters are checked before anything is looked for, so that ids of examples will do. */
async function ask(one: (typeof lists)[number], query: Record<string, string>) {
  const filled = one.parameters.reduce(
    (path, { name, example }) => path.replace(`{${name}}`, String(example)),
    one.path,
  )
  const path = filled.replace(/^\/(?:admin\/)?v1\//, '')
  const text = `${path}?${new URLSearchParams(query)}`
  const { status, headers, body } = await (one.auth === 'operator'
    ? world.operator('GET', text)
    : tenant.api('GET', text))
  const paths: string[] = status === 400 ? body.error.details.violations.map(({ path }: Json) => path) : []
  return { status, headers, paths }
}

t.test('every list has pages with a bound, and says whether more follow', (t) => {
  t.ok(lists.length > 50)
  for (const { id, parameters, response } of lists) {
    const names = parameters.map(({ name }) => name)
    const { schema } = parameters.find(({ name }) => name === 'limit') ?? {}
    t.ok(schema?.minimum === 1 && Number(schema.maximum) <= 200, `${id}: limit`)
    t.ok(names.includes('cursor') || names.includes('offset'), `${id}: cursor or offset`)
    t.ok('has_more' in propertiesOf(response?.schema), `${id}: has_more`)
  }
  t.end()
})

t.test('every list refuses a limit out of bounds and an unknown parameter', async (t) => {
  for (const one of lists) {
    for (const limit of ['0', '201', 'x']) {
      const { status, paths } = await ask(one, { limit })
      t.ok(status === 400 && paths.includes('limit'), `${one.id}: ${limit}`)
    }
    const { status, paths } = await ask(one, { no_such_filter: '1' })
    t.ok(status === 400 && paths.includes('no_such_filter'), one.id)
  }
})

t.test('every list refuses a range that ends before it begins', async (t) => {
  for (const one of lists) {
    if (!one.parameters.some(({ name }) => name === 'until')) continue
    const { status, paths } = await ask(one, { since: '2026-02-02T00:00:00Z', until: '2026-02-01T00:00:00Z' })
    t.ok(status === 400 && paths.includes('until'), one.id)
  }
})

t.test('a deprecated parameter is announced, and refused beside the one that replaces it', async (t) => {
  const deprecated = lists.flatMap((one) =>
    one.parameters
      .filter((parameter) => parameter.deprecated)
      .map(({ name, description }) => ({ one, name, description })),
  )
  t.ok(deprecated.length > 0)
  for (const { one, name, description } of deprecated) {
    const use = /`(\w+)`/.exec(description)![1]!
    const value = /skip/.test(name) ? '1' : /^starts/.test(name) ? '2026-02-02T00:00:00Z' : 'order'
    const { headers } = await ask(one, { [name]: value })
    t.match(headers.deprecation, /^@\d+$/, `${one.id}: ${name}`)
    t.equal((await ask(one, { [use]: value })).headers.deprecation, undefined, `${one.id}: ${use}`)
    const both = await ask(one, { [name]: value, [use]: value })
    t.ok(both.status === 400 && both.paths.includes(name), `${one.id}: ${name} and ${use}`)
  }
})
