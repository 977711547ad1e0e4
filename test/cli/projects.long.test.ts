/** The commands for projects and channels, which an operator without ids begins with. */
import t from 'tap'
import { makeTenant, OPERATOR_KEY, startWorld } from '../e2e/fixture.ts'
import { type Finished, run, runOnTerminal } from './command.ts'

// A node to itself, because the lists of the command show the projects of all tenants.
const world = await startWorld(t)
const [one, other] = [await makeTenant(world), await makeTenant(world)]
const env = { PARLEY_BASE_URL: world.base_url, PARLEY_OPERATOR_KEY: OPERATOR_KEY }
const parley = (...args: string[]) => run(args, env)
const json = async (finished: Promise<Finished>) => {
  const { code, out, err } = await finished
  if (code !== 0) throw new Error(err)
  return JSON.parse(out)
}
const ids = async (finished: Promise<Finished>) => (await json(finished)).map(({ _id }: { _id: string }) => _id)

t.test('projects are listed without an id, made, limited and deleted', async (t) => {
  t.same(new Set(await ids(parley('projects', 'list', '--json'))), new Set([one.project_id, other.project_id]))
  t.same(await ids(parley('projects', 'list', '--company', one.company_id, '--json')), [one.project_id])
  t.match(await parley('projects', 'create', '--name', 'Support'), {
    code: 2,
    err: '--company is missing: the id of the company (parley projects list).\n',
  })
  const owner = ['--company', one.company_id]
  const made = await json(parley('projects', 'create', ...owner, '--name', 'Support', '--limit-minute', '7', '--json'))
  t.match(made, { name: 'Support', company_id: one.company_id, limits: { minute: 7, ingest_minute: 6000 } })
  const changes = ['--limit-hour', '8', '--limit-day', '9', '--limit-ingest-minute', '10']
  t.match(await parley('projects', 'update', made._id, ...changes), {
    code: 0,
    out: /^requests +7 a minute, 8 an hour, 9 a day\nCRM events +10 a minute$/m,
  })
  const row = new RegExp(`^${made._id} {2}${one.company_id} {2}7 +8 +9 +Support$`, 'm')
  t.match(await parley('projects', 'list'), { code: 0, out: row, err: '' })
  t.match(await parley('projects', 'update', made._id, '--limit-day', '0'), { code: 1, err: /must be at least 1/ })
  t.match(await parley('projects', 'delete', one.project_id, '--yes'), { code: 1, err: / \(IN_USE\)\.\n$/ })
  t.match(await runOnTerminal(['projects', 'delete', made._id], env, 'no'), {
    code: 1,
    err: /Delete the project “Supp/,
  })
  t.match(await parley('projects', 'delete', made._id, '--yes'), { code: 0, out: `Deleted ${made._id}.\n` })
  const gone = await parley('projects', 'show', made._id)
  t.match(gone, { code: 1, err: /`parley projects list` shows which there are \(NOT_FOUND\)\.\n$/ })
})

t.test('channels are listed with their state, checked, changed and deleted', async (t) => {
  const all = await ids(parley('channels', 'list', '--json'))
  t.same(new Set(all), new Set([one.number.channel_id, other.number.channel_id]))
  const id = one.number.channel_id
  t.same(await ids(parley('channels', 'list', '--project', one.project_id, '--json')), [id])
  t.match(await parley('channels', 'check', id), {
    code: 0,
    out: /^state +connected$[\s\S]*^\d+ of its templates were fetched\.$/m,
  })
  await world.control('PUT', 'numbers', { phone_number_id: one.number.phone_number_id, access_token: 'another' })
  const refused = await parley('channels', 'check', id)
  t.match(refused, { code: 1, out: /^state +disconnected: .+$/m, err: /^The provider does not accept the channel: / })
  t.match(await json(parley('channels', 'show', id, '--json')), { status: 'disconnected' })
  t.match(await parley('channels', 'list'), { code: 0, out: new RegExp(`^${id} .* disconnected: .+$`, 'm') })
  t.match(await parley('channels', 'update', id, '--messages-per-second', '20', '--off'), {
    code: 0,
    out: /^state +off, disconnected: .*\npace +20 messages a second$/m,
  })
  t.match(await parley('channels', 'update', id, '--messages-per-second', 'default', '--on'), {
    code: 0,
    out: /^pace +default$/m,
  })
  t.match(await parley('channels', 'update', id), {
    code: 2,
    err: /^Say what to change: parley channels update --help/,
  })
  t.match(await parley('channels', 'delete', id, '--yes'), { code: 0, out: `Deleted ${id}.\n` })
  t.match(await parley('channels', 'list', '--project', one.project_id), { err: 'There are no such channels.\n' })
})

t.test('a change of office hours keeps what it does not name', async (t) => {
  const change = (...args: string[]) => json(parley('projects', 'update', one.project_id, ...args, '--json'))
  const monday = [{ from: '09:00', to: '18:00' }]
  t.match(await parley('projects', 'update', one.project_id, '--closed-on', '2026-12-25'), {
    code: 2,
    err: 'Office hours need --hours and --timezone.\n',
  })
  await change('--hours', 'mon=09:00-18:00', '--timezone', 'America/Mexico_City', '--closed-on', '2026-12-25')
  t.same((await change('--closed-on', '2026-12-25', '--closed-on', '2027-01-01')).office_hours, {
    timezone: 'America/Mexico_City',
    weekly: { monday },
    closed_on: ['2026-12-25', '2027-01-01'],
  })
  const tuesday = [{ from: '10:00', to: '12:00' }]
  t.same((await change('--hours', 'tue=10:00-12:00')).office_hours, {
    timezone: 'America/Mexico_City',
    weekly: { tuesday },
    closed_on: ['2026-12-25', '2027-01-01'],
  })
  t.match((await change('--timezone', 'UTC')).office_hours, { timezone: 'UTC', weekly: { tuesday } })
  t.same((await change('--closed-on', 'none')).office_hours.closed_on, [])
  t.equal((await change('--always-open')).office_hours, null)
})

t.test('a channel whose history was not asked for says how to ask', async (t) => {
  const { channel_id } = other.number
  t.match(await parley('channels', 'history', channel_id), {
    code: 0,
    out: '',
    err: 'The history of this channel was not asked for yet; --request asks for it.\n',
  })
  t.equal(await json(parley('channels', 'history', channel_id, '--json')), null)
  t.match(await parley('channels', 'history', one.project_id), { code: 1, err: /\(NOT_FOUND\)/ })
})
