/**
 * Each route that changes something leaves exactly one audit entry, or is in the explained list of those that leave none.
 * The entries show no secret. A new route needs a step in `audit_steps`.
 */
import t from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { allRoutes } from '../support/hostile/routes.ts'
import { stepsOfAgents } from './audit_steps/agents.ts'
import { stepsOfConsoleOperators } from './audit_steps/console_operators.ts'
import { stepsOfNodes, stepsOfOperators } from './audit_steps/operators.ts'
import { SECRET, sceneOf } from './audit_steps/scene.ts'
import { stepsOfTokens } from './audit_steps/tokens.ts'
import { ownPage, PASSWORD, trySignIn } from './console_client.ts'
import { makeTenant, startWorld } from './fixture.ts'

// A node for this file alone: the entries of all companies are counted.
const world = await startWorld(t, { config: { assistant_models: ['model-a'] } })
const tenant = await makeTenant(world)
const { project_id } = tenant
const database = await openDatabase({ url: world.config.database_url!, pool_size: 2 })
t.teardown(() => database.close())

const routes = allRoutes()
const each = (why: string, names: string[]) => Object.fromEntries(names.map((name) => [name, why]))
const scene = sceneOf(world, tenant, database)
const { made, post, patch } = scene
const steps = [
  ...stepsOfOperators(scene),
  ...stepsOfTokens(scene, routes),
  ...stepsOfAgents(scene),
  ...stepsOfNodes(scene),
  ...stepsOfConsoleOperators(scene),
]

/** Routes that change something without an entry, and why. */
const WITHOUT: Record<string, string> = {
  ...each('a message has a record of its own', [
    'send_message',
    'send_raw_message',
    'mark_message_read',
    'console_send_message',
    'console_mark_message_read',
    'retry_message',
    'schedule_message',
    'update_scheduled_message',
    'cancel_scheduled_message',
  ]),
  ...each('what an agent has read is no change of a record', ['mark_ticket_read', 'mark_ticket_unread']),
  ...each('files come at the pace of messages', [
    'upload_media',
    'console_upload_media',
    'fetch_media',
    'console_fetch_media',
  ]),
  ...each('programs keep contacts and events at the pace of messages', [
    'create_contact',
    'update_contact',
    'record_event',
  ]),
  ...each('the timeline has these changes', [
    'update_ticket',
    'move_ticket',
    'take_over_ticket',
    'hand_back_ticket',
    'create_note',
    'snooze_ticket',
    'end_snooze',
    'take_thread',
    'release_thread',
  ]),
  ...each('an agent writes and reads', ['save_draft', 'delete_draft', 'read_notifications']),
  ...each('a test changes no configuration', ['test_webhook', 'console_test_webhook', 'test_agent_tool']),
  ...each('a turn has a record of its own', [
    ...['generate_assistant_reply', 'summarize_conversation'],
    ...['console_generate_assistant_reply', 'console_summarize_conversation'],
  ]),
  ...each('nothing is kept but what was spent', ['console_try_assistant']),
  ...each('the runner stops a run a little later', ['cancel_test_run', 'console_cancel_test_run']),
}

t.test('each route that changes something is a step here, or leaves no entry for a reason', (t) => {
  const changing = routes.filter(({ method, read, raw }) => method !== 'GET' && !read && !raw)
  const names = changing.map(({ operation }) => operation)
  t.strictSame(names.filter((name) => !WITHOUT[name]).sort(), steps.map(([name]) => name).sort())
  t.strictSame(
    Object.keys(WITHOUT).filter((name) => !names.includes(name)),
    [],
    'the list has no other names',
  )
  const ofToken = changing.filter(({ auth, operation }) => auth === 'token' && !WITHOUT[operation])
  t.ok(
    ofToken.every(({ audited }) => audited),
    'the routes of tokens say so themselves',
  )
  t.end()
})

const count = async (where: string): Promise<number> => {
  const [row] = await database.execute<{ count: number }>(
    `select count(*)::integer as count from audit_entry where ${where}`,
  )
  return row!.count
}

t.test('each of them leaves one entry', async (t) => {
  for (const [operation, ask] of steps) {
    const before = await count(`action = '${operation}'`)
    const { status, text } = await ask()
    t.ok(status < 300, `${operation}: ${status} ${text}`)
    t.equal(await count(`action = '${operation}'`), before + 1, operation)
  }
})

t.test('no entry has a secret', async (t) => {
  const secrets = [
    SECRET,
    tenant.token,
    made.rotated.secret,
    made.token.token,
    made.key.key,
    PASSWORD,
    tenant.number.app_secret,
  ]
  const hashes = await database.execute<{ hash: string }>(
    `select hash from token union all select password_hash from "user" where password_hash is not null
      union all select hash from operator_key union all select credentials from channel union all select secret from subscription
      union all select sealed from webhook_key`,
  )
  for (const text of [...secrets, ...hashes.map(({ hash }) => hash)]) {
    const found = await database.execute(
      `select action, before, after from audit_entry e where strpos(e::text, ?) > 0`,
      [text],
    )
    t.strictSame(found, [], text.slice(0, 6))
  }
  const [user] = await database.execute(`select after from audit_entry where action = 'update_user' limit 1`)
  t.strictSame(user, { after: { password_hash: '[redacted]' } })
})

t.test('a request that is refused or changes nothing leaves no entry', async (t) => {
  const before = await count('true')
  await patch(`projects/${project_id}`, {})
  await patch(`projects/${'f'.repeat(24)}`, { name: 'None' })
  await post('companies', { name: '' })
  await trySignIn(world, { email: 'nobody@example.com', password: PASSWORD })
  await world.http('DELETE', `${world.base_url}/console/session`, { headers: ownPage(world) })
  t.equal(await count('true'), before)
})
