/** The readers find stale reads, and nothing else. */
import t from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { eventually } from '../e2e/client.ts'
import { makeTenant, startWorld } from '../e2e/fixture.ts'
import type { Interval } from '../e2e/history_checker.ts'
import { type Change, readerFindings, type Seen, type Sight, type TokenLife } from './reader_findings.ts'
import { prepareWatched, startReader } from './readers.ts'

const world = await startWorld(t, { waits: { confirm_ms: 30_000, send_ms: 10_000 } })
const tenant = await makeTenant(world)
const database = await openDatabase({ url: world.config.database_url!, pool_size: 1 })
t.teardown(() => database.close())
const watched = await prepareWatched(tenant)
const nodes = [{ name: 'node', base_url: world.base_url }]
const reader = startReader(watched, { world, http: world.http, nodes, database })
const { seen } = reader
await eventually('it has seen something of each', () => seen.tokens.length > 2 && seen.squeezed.length > 0)
await reader.stop()

/** Returns the kinds of the findings after `harm` was done to a copy of the record. */
function found(harm: (copy: Seen) => unknown, lost?: Interval): string[] {
  const copy = structuredClone(seen)
  harm(copy)
  return [...new Set(readerFindings(copy, lost).map(({ kind }) => kind))]
}

const nameSights = ({ sights }: Seen) => sights.filter(({ token }) => !token)
const tokenSights = ({ sights }: Seen, status: number) =>
  sights.filter(
    (sight): sight is Sight & { token: TokenLife } => sight.token !== undefined && sight.look.status === status,
  )
const lastName = ({ names }: Seen): [number, Change] => [...names].at(-1)!

t.test('all is well', async (t) => {
  t.same(reader.findings(), [])
  t.ok(nameSights(seen).length > 2 && tokenSights(seen, 200).length > 2 && tokenSights(seen, 401).length > 2)
})

t.test('a name older than the last one acknowledged is stale', async (t) => {
  const older = (copy: Seen) => {
    nameSights(copy).at(-1)!.look.name = 'number 0'
  }
  t.same(found(older), ['stale'])
  const [, { acknowledged }] = lastName(seen)
  t.same(found(older, { from: 0, to: acknowledged }), [], 'unless a server took over without it')
  t.same(found(older, { from: 0, to: acknowledged - 1 }), ['stale'])
})

t.test('a name that was not acknowledged when the look began may be missing', async (t) => {
  const later = (copy: Seen) => {
    for (const change of copy.names.values()) change.acknowledged = Date.now() + 1000
    nameSights(copy).at(-1)!.look.name = 'number 0'
  }
  t.same(found(later), [])
})

t.test('a name may come back when an attempt at its change was given up and repeated', async (t) => {
  const back = (copy: Seen, repeated: boolean) => {
    const [first] = [...copy.names.keys()]
    copy.names.get(first!)!.repeated = repeated
    nameSights(copy).at(-1)!.look.name = `number ${first}`
  }
  t.same(
    found((copy) => back(copy, true)),
    [],
  )
  t.same(
    found((copy) => back(copy, false)),
    ['stale'],
  )
})

t.test('a token refused after its creation, or taken after its revocation, is stale', async (t) => {
  const refused = (copy: Seen) => {
    tokenSights(copy, 200)[0]!.look.status = 401
    for (const { token } of copy.sights) if (token) token.revoked = undefined
  }
  t.ok(found(refused).includes('stale'))
  const taken = (copy: Seen) => {
    tokenSights(copy, 401)[0]!.look.status = 200
  }
  t.same(found(taken), ['stale'])
})

t.test('a token missing in the database is lost, and stale where it is still taken', async (t) => {
  const { id, made } = seen.tokens.at(-1)!
  const gone = (copy: Seen) => copy.stored!.delete(id)
  t.same(found(gone), ['lost'])
  const lost = { from: made.acknowledged, to: Date.now() }
  t.same(found(gone, lost), [])
  const ghost = (copy: Seen) => {
    gone(copy)
    for (const { look, last, token } of copy.sights) if (last && token?.id === id) look.status = 200
  }
  t.same(found(ghost, lost), ['stale'])
})

t.test('an undone revocation of a token is lost', async (t) => {
  const { id } = seen.tokens[0]!
  t.same(
    found((copy) => copy.stored!.set(id, { revoked: false })),
    ['lost'],
  )
})

t.test('429 is an honest answer while limits may be low, and otherwise stale', async (t) => {
  const throttled = (copy: Seen) => {
    nameSights(copy).at(-1)!.look.status = 429
  }
  t.same(found(throttled), ['stale'])
  const open = (copy: Seen) => {
    throttled(copy)
    copy.squeezed.at(-1)!.acknowledged = 0
  }
  t.same(found(open), [])
  const { acknowledged } = seen.squeezed.at(-1)!
  t.same(
    found(throttled, { from: acknowledged, to: acknowledged }),
    [],
    'or a server took over without the higher ones',
  )
})

t.test('any other answer is a surprise', async (t) => {
  const broken = (copy: Seen) => {
    nameSights(copy).at(-1)!.look.status = 500
  }
  t.same(found(broken), ['surprise'])
})
