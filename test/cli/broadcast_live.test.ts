/** `parley broadcast` with a running Parley. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { broadcastWhen } from '../e2e/broadcast_client.ts'
import { joinWorld, makeTenant, type Tenant } from '../e2e/fixture.ts'
import { tempDir } from '../support/mod.ts'
import { fileFor, ORDER, person } from './broadcast_file.ts'
import { type Finished, run, runOnTerminal, startHere } from './command.ts'

const world = await joinWorld(t)

function commandsOf(t: Test, tenant: Tenant) {
  const env = { PARLEY_BASE_URL: world.base_url, PARLEY_TOKEN: tenant.token }
  const broadcast = (...args: string[]): Promise<Finished> => run(['broadcast', ...args], env)
  const fileOf = (csv: string) => {
    const file = join(tempDir(t), 'people.csv')
    writeFileSync(file, csv)
    return file
  }
  return {
    broadcast,
    send: (csv: string, ...args: string[]) => broadcast('send', '--csv', fileOf(csv), ...args),
    asked: (csv: string, answer: string | undefined, ...args: string[]) =>
      runOnTerminal(['broadcast', 'send', '--csv', fileOf(csv), ...args], env, answer),
    start: (csv: string, ...args: string[]) =>
      startHere(t, ['broadcast', 'send', '--csv', fileOf(csv), ...args], { env }),
  }
}

t.test('a file is checked, sent, watched to its end and looked at', async (t) => {
  const tenant = await makeTenant(world)
  const { broadcast, send } = commandsOf(t, tenant)
  t.match(await broadcast('list'), { code: 0, out: '', err: 'There are no broadcasts.\n' })
  const [unsure, dry, unknown] = await Promise.all([
    send(fileFor(3), '--template', 'order_update', '--dry-run'),
    send(fileFor(300), ...ORDER, '--dry-run'),
    send(fileFor(3), '--template', 'nothing'),
  ])
  t.match(unsure, { code: 2, err: /is there in en_US, es: choose with --language\.\n$/ })
  t.match(dry, { code: 0, out: '300 recipients, no faults; nothing is sent.\n', err: '' })
  t.match(unknown, { code: 1, err: 'There is no template “nothing”.\n' })
  t.equal((await tenant.sent()).length, 0)

  const { code, out, err } = await send(fileFor(300), ...ORDER, '--campaign', 'Autumn', '--watch')
  t.equal(code, 0, err)
  const [, id = ''] = /^(brd_\w{24}) is completed: (.*), of 300\.\n$/.exec(out) ?? []
  t.ok(id, out)
  t.match(err, new RegExp(`^${id} is queued for 300\\. Ctrl-C does not end it\\.\n`))
  t.match(err, /^[█░]{24} \d+ of 300 \(\d+ %\)$/m)
  const recipients = (await tenant.sent()).map(({ recipient }) => `+${recipient}`)
  t.strictSame(
    recipients.sort(),
    Array.from({ length: 300 }, (_, n) => person(n)),
  )

  await broadcastWhen(tenant, id, 'is read', ({ read_count }) => read_count === 300)
  const { out: shown } = await broadcast('show', id)
  t.match(shown, /^counts +300 read$/m)
  t.match(shown, new RegExp(`^broadcast +${id}\ncampaign +Autumn\ntemplate +order_update \\(en_US\\)\n`))
  t.match((await broadcast('list')).out, new RegExp(`^${id} .* completed +300/300 +0 +Autumn$`, 'm'))
  t.match(JSON.parse((await broadcast('list', '--json', '--status', 'completed')).out), [{ id, read_count: 300 }])
  t.match(await broadcast('list', '--status', 'failed'), { code: 0, out: '', err: 'No broadcast is failed.\n' })
  t.match(await broadcast('cancel', id, '--yes'), { code: 1, out: '', err: /\(BROADCAST_FINISHED\)\.\n$/ })
})

t.test('failures of recipients are told by the lines of the file', async (t) => {
  const tenant = await makeTenant(world)
  const { broadcast, send } = commandsOf(t, tenant)
  const match = { phone_number_id: tenant.number.phone_number_id, recipient: person(1).slice(1) }
  await world.control('POST', 'faults', { match, error: { code: 131026 } })
  const sent = await send(fileFor(4), ...ORDER, '--watch')
  t.equal(sent.code, 0)
  t.match(sent.out, /^brd_\w+ is completed: .*1 failed, of 4\.\nfailed +code +why +lines\n1 +131026 +\S.* 3\n$/)
  const [id = ''] = sent.out.split(' ')
  const [shown, json, watched] = await Promise.all([
    broadcast('show', id),
    broadcast('show', id, '--json'),
    broadcast('watch', id, '--json'),
  ])
  t.match(shown, { code: 0, out: new RegExp(`\nfailed +code +why +such as\n1 +131026 .* \\${person(1)}\n$`), err: '' })
  const failures = [{ code: '131026', message: /./, count: 1, phones: [person(1)] }]
  t.match(JSON.parse(json.out), { id, failed_count: 1, failures })
  t.match(JSON.parse(watched.out), { id, failed_count: 1, failures })
  await world.control('DELETE', 'faults')
})

t.test('an unapproved template is sent only with an explicit option', async (t) => {
  const tenant = await makeTenant(world)
  const { broadcast, send, asked } = commandsOf(t, tenant)
  const people = `phone\n${person(1)}\n${person(2)}\n`
  const NEWS = ['--template', 'pending_news']
  const warning = 'The template “pending_news” is PENDING, not APPROVED: the provider will refuse every message.\n'
  const refusal = 'Nothing is sent: there is no terminal to ask on; --yes does it without asking.\n'
  t.strictSame(await send(people, ...NEWS), { code: 1, out: '', err: warning + refusal })
  t.strictSame(await send(people, ...NEWS, '--json'), { code: 1, out: '', err: warning + refusal })
  for (const answer of ['n', '', undefined]) {
    const refused = await asked(people, answer, ...NEWS)
    t.match(refused, { code: 1, out: '', err: /Send it to 2 recipients all the same\? \[y\/N\]/ })
    t.match(refused.err, /Nothing is sent\./)
  }
  t.match((await broadcast('list')).err, /^There are no broadcasts\.\n$/)
  t.match(await asked(people, 'y', ...NEWS), { code: 0, out: /^brd_\w+ is queued for 2;/ })
  t.match(await send(people, ...NEWS, '--yes'), { code: 0, out: /^brd_\w+ is queued for 2;/, err: warning })
})

t.test('cancelling ends the watching, and nobody else gets a message', async (t) => {
  const tenant = await makeTenant(world)
  const { broadcast, start } = commandsOf(t, tenant)
  await world.operator('PATCH', `channels/${tenant.number.channel_id}`, { messages_per_second: 20 })
  const watching = start(fileFor(1000), ...ORDER, '--watch')
  await watching.until(/ of 1000 \(/, 'err')
  const [, id = ''] = /(brd_\w+) is queued/.exec(watching.said().err) ?? []
  const cancelled = await broadcast('cancel', id, '--yes')
  t.match(cancelled, { code: 0, out: new RegExp(`^${id} is cancelled: .*, of 1000\\.\n$`) })
  t.match(await watching.end(), {
    code: 1,
    out: /^failed +code +why +lines\n200 +CANCELLED /,
    err: new RegExp(`\n${id} is cancelled: .* failed, of 1000\\.\n$`),
  })
  const { out } = await broadcast('watch', id, '--json')
  const { total, sent_count, delivered_count, read_count, failed_count, pending_count } = JSON.parse(out)
  t.equal(pending_count + sent_count + delivered_count + read_count + failed_count, total)
  t.ok(failed_count > 0)
})

t.test('a token that may only send sends', async (t) => {
  const tenant = await makeTenant(world)
  const { project_id, user_id } = tenant
  const fields = { project_id, user_id, name: 'Bulk', scopes: ['messages:bulk'] }
  const { body } = await world.operator('POST', 'tokens', fields)
  const { send } = commandsOf(t, { ...tenant, token: body.token })
  const { code, out, err } = await send('phone,1\n+15553000001,Ana\n', ...ORDER, '--watch')
  t.equal(code, 1)
  t.match(err, /^The token may not see templates \(messages:read\): /)
  t.match(out, /^failed .*\n1 +TEMPLATE_VARIABLE_MISSING .* 2\n$/)
  t.match(err, /\nbrd_\w+ is failed: 1 failed, of 1\.\n$/)
})
