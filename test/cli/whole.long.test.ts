/**
 * The whole command line as scripts use it: each command prints JSON with the fields that docs/cli_json.md names, and
 * each command that destroys something refuses to do so unasked without a terminal. One file, because it is one list of
 * commands, and later ones use the records of earlier ones.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Command } from 'commander'
import t from 'tap'
import { buildProgram } from '../../http/cli/program.ts'
import { eventually, type Json } from '../e2e/client.ts'
import { made, makeTenant, OPERATOR_KEY, startWorld } from '../e2e/fixture.ts'
import { tempDir } from '../support/mod.ts'
import { type Finished, run } from './command.ts'

// A node to itself, because some commands show all tenants.
const world = await startWorld(t)
const tenant = await makeTenant(world)
const directory = tempDir(t)
const env = {
  PARLEY_BASE_URL: world.base_url,
  PARLEY_OPERATOR_KEY: OPERATOR_KEY,
  PARLEY_TOKEN: tenant.token,
  DATABASE_URL: world.config.database_url!,
  NATS_URL: world.config.nats_url!,
  PARLEY_BLOB_URL: pathToFileURL(join(world.config.data_dir, 'blobs')).href,
  PARLEY_DATA_DIR: world.config.data_dir,
  PARLEY_ENV: 'development',
  PARLEY_SECRET: world.config.secret!,
}
const file = (name: string, content: string): string => {
  const path = join(directory, name)
  writeFileSync(path, content)
  return path
}

/** Commands that other tests run: they need a terminal, an empty database, several nodes or a failure, or print lines. */
const ELSEWHERE = [
  'serve',
  'init',
  'top',
  'webhooks listen',
  'webhooks poll',
  'email deliver',
  'completion',
  'complete',
  'pipelines export',
  'restore',
  'cluster drain',
  'resume',
  'dead-letters list',
  'dead-letters show',
  'dead-letters replay',
  'dead-letters drop',
  'simulate status',
]

/** Ids of records that a command has made, by the names in the lines below. */
const ids: Record<string, string> = {}
const P = `--project ${tenant.project_id}`
const C = `--company ${tenant.company_id}`

type Line = [line: string, keep?: string]

/** Lines in the order in which they can be run. `{tag}` is the id of the record that was kept as `tag`. */
const lines = (): Line[] => [
  ['doctor'],
  ['config reference'],
  ['config check'],
  ['migrate'],
  ['upgrade check'],
  ['secrets status'],
  ['secrets rotate'],
  [`backup ${join(directory, 'all.parley')}`],
  [`backup verify ${join(directory, 'all.parley')}`],
  [`backup show ${join(directory, 'all.parley')}`],
  ['cluster status'],
  [`projects create ${C} --name Spare`, 'spare'],
  [`projects list ${C}`],
  ['projects show {spare}'],
  ['projects update {spare} --limit-minute 120'],
  ['projects update {spare} --timezone Europe/Berlin --hours mon-fri=09:00-13:00,15:00-18:00 --closed-on 2026-12-25'],
  ['projects update {spare} --always-open'],
  ['projects delete {spare}'],
  [`users create ${C} --name Eva --email eva@example.com --permissions console.agent`, 'user'],
  [`users list ${C}`],
  ['users show {user}'],
  ['users invite {user}'],
  ['users update {user} --deactivate'],
  ['users delete {user}'],
  [`channels list ${P}`, 'channel'],
  ['channels show {channel}'],
  ['channels update {channel} --messages-per-second 40'],
  ['channels check {channel}'],
  ['channels history {channel} --request'],
  [`token create ${P} --user ${tenant.user_id} --scopes messages:read --name CI`, 'token'],
  ['token list'],
  ['token revoke {token}'],
  ['operator-keys create Whole --role read', 'key'],
  ['operator-keys list'],
  ['operator-keys revoke {key}'],
  ['audit list', 'entry'],
  ['audit show {entry}'],
  ['trace some-request'],
  [
    `simulate inbound --from +15557760001 --text Hi --simulator-url ${world.simulator_url} --phone-number-id ${tenant.number.phone_number_id}`,
  ],
  [
    `simulate inbound --from +15557760001 --kind text --simulator-url ${world.simulator_url} --account-id ${tenant.number.phone_number_id}`,
  ],
  [
    `simulate echo --to +15557760001 --text Hi --simulator-url ${world.simulator_url} --phone-number-id ${tenant.number.phone_number_id}`,
  ],
  [
    `simulate marketing --from +15557760001 --wish stop --simulator-url ${world.simulator_url} --phone-number-id ${tenant.number.phone_number_id}`,
  ],
  [`simulate template --name invoice_ready --quality GREEN --simulator-url ${world.simulator_url}`],
  [`simulate history --simulator-url ${world.simulator_url} --phone-number-id ${tenant.number.phone_number_id}`],
  [
    `simulate thread --person +15557760001 --holder app --simulator-url ${world.simulator_url} --phone-number-id ${tenant.number.phone_number_id}`,
  ],
  [`simulate person --phone +15557760001 --user-id US.7760001 --simulator-url ${world.simulator_url}`],
  [`simulate model --answer Packed --match order --simulator-url ${world.simulator_url}`],
  ['webhooks list', 'webhook'],
  ['webhooks show {webhook}'],
  ['webhooks deliveries {webhook}', 'delivery'],
  ['webhooks delivery {webhook} {delivery}'],
  ['webhooks redeliver {webhook} {delivery}'],
  ['webhooks recover {webhook} --since 1h'],
  ['webhooks reconcile'],
  ['webhooks create --name Polled --poll --events crm.*'],
  ['webhooks rotate-secret {webhook}'],
  ['webhooks rotate-signing-key --grace 1h'],
  ['webhooks signing-keys'],
  [
    `broadcast send --csv ${file('people.csv', 'phone,1,2\n+15550180000,Ana,A-1\n')} --template order_update --language en_US`,
    'broadcast',
  ],
  [
    `rates import ${file('rates.csv', 'Rates in USD,,\nMarket,Currency,Marketing\nMexico,$US,0.0305\nOther,$US,n/a\n')} --valid-from 2026-10-01`,
  ],
  ['rates list'],
  [`costs ${P} --by category`],
  ['broadcast watch {broadcast}'],
  ['broadcast list'],
  ['broadcast show {broadcast}'],
  [
    `broadcast send --csv ${file('waits.csv', 'phone,1,2\n+15550187777,Ana,A-1\n')} --template order_update --language en_US`,
    'waiting',
  ],
  ['broadcast cancel {waiting}'],
  ['contacts list --search 15557760001', 'person'],
  ['contacts take-thread {person}'],
  ['contacts release-thread {person} --to ai_agent'],
  ['contacts list --search 15550180000', 'twin'],
  ['contacts merge {person} {twin}', 'merge'],
  ['contacts merges {person}'],
  ['contacts unmerge {person} {merge}'],
  [`tools create --name Order --description Finds --url ${world.simulator_url}/tools/order_status`, 'tool'],
  ['tools list'],
  ['tools show {tool}'],
  ['tools update {tool} --name Orders'],
  ['tools test {tool} --argument number=A1234'],
  ['tools calls {tool}'],
  ['tools delete {tool}'],
  [`pipelines create ${P} --name Sales --stage Lead --stage Won:close_with=won`, 'pipeline'],
  [`pipelines list ${P}`],
  ['pipelines show {pipeline}'],
  ['pipelines update {pipeline} --name Shop'],
  [`pipelines apply {pipeline_file} ${P}`],
  [`tags create ${P} --name vip`, 'tag'],
  [`tags list ${P}`],
  ['tags show {tag}'],
  ['tags update {tag} --name VIP'],
  ['tags delete {tag}'],
  [`event-types create ${C} --key visit --name Visit`, 'event_type'],
  [`event-types list ${C}`],
  ['event-types show {event_type}'],
  ['event-types update {event_type} --name Visits'],
  ['event-types delete {event_type}'],
  [`custom-fields create ${C} --of ticket --key size --name Size`, 'field'],
  [`custom-fields list ${C}`],
  ['custom-fields show {field}'],
  ['custom-fields update {field} --name Sizes'],
  ['custom-fields delete {field}'],
  [`customers create ${C} --name Luz`, 'customer'],
  [`customers list ${C}`],
  ['customers show {customer}'],
  ['customers update {customer} --name Luisa'],
  [`customers import ${C} --csv ${file('customers.csv', 'name\nEva\n')}`],
  [`canned-responses create ${P} --shortcut late --content Sorry`, 'canned_response'],
  [`canned-responses list ${P}`],
  ['canned-responses show {canned_response}'],
  ['canned-responses update {canned_response} --title Late'],
  ['canned-responses delete {canned_response}'],
  [`assistants create ${P} --name Ana`, 'assistant'],
  [`blocks create ${P} --type do_not --name Promises --content no`, 'block'],
  [`assistants list ${P}`],
  ['assistants show {assistant}'],
  ['assistants update {assistant} --name Anna'],
  ['assistants attach {assistant} {block}'],
  ['assistants blocks {assistant}'],
  ['assistants prompt {assistant}'],
  ['assistants reply {assistant} Hello'],
  ['assistants summarize {assistant} --ticket {ticket}'],
  ['assistants turns {assistant}'],
  [`assistants test {assistant} ${file('set.yaml', 'name: One\ncases: [{ name: One, steps: [{ user: Hello }] }]')}`],
  ['assistants test-sets list {assistant}', 'test_set'],
  ['assistants test-sets show {assistant} {test_set}'],
  ['assistants test-runs {assistant} {test_set}'],
  ['assistants test-sets delete {assistant} {test_set}'],
  [`assistants deploy {assistant} ${file('deployments.json', '[{"answers":"outside_hours"}]')}`],
  ['assistants deployments {assistant}'],
  ['assistants detach {assistant} {block}'],
  ['assistants archive {assistant}'],
  ['assistants unarchive {assistant}'],
  [`blocks list ${P}`],
  ['blocks show {block}'],
  ['blocks update {block} --name Promise'],
  ['blocks content {block}'],
  ['blocks save {block} --content never'],
  ['blocks save {block} --content later --hold'],
  ['blocks release {block}'],
  ['blocks save {block} --content later --hold'],
  ['blocks discard {block}'],
  ['blocks versions {block}'],
  ['blocks archive {block}'],
  ['blocks unarchive {block}'],
  [`knowledge create ${P} --folder --name Policies`, 'folder'],
  [`knowledge create ${P} --name Returns --content returns`, 'document'],
  [`knowledge tree ${P}`],
  ['knowledge show {document}'],
  ['knowledge update {document} --name Refunds'],
  ['knowledge move {document} --to {folder}'],
  [`knowledge import ${file('shipping.md', '# Shipping\n')}`],
  [`knowledge search ${P} Refunds`],
  [`knowledge reindex ${P}`],
  ['knowledge delete {document}'],
  [
    `appointments create ${P} --starts 2030-01-01T10:00:00Z --ends 2030-01-01T11:00:00Z --customer {customer}`,
    'appointment',
  ],
  [`appointments list ${P}`],
  ['appointments show {appointment}'],
  ['appointments update {appointment} --location Here'],
  ['appointments confirm {appointment}'],
  ['appointments cancel {appointment}'],
  [
    `appointments create ${P} --starts 2030-01-02T10:00:00Z --ends 2030-01-02T11:00:00Z --customer {customer} --status confirmed`,
    'second',
  ],
  ['appointments complete {second}'],
  [
    `appointments create ${P} --starts 2030-01-03T10:00:00Z --ends 2030-01-03T11:00:00Z --customer {customer} --status confirmed`,
    'third',
  ],
  ['appointments no-show {third}'],
  [`loyalty programs create ${P} --name Club --type points`, 'program'],
  [`loyalty programs list ${P}`],
  ['loyalty programs show {program}'],
  ['loyalty programs update {program} --name Circle'],
  ['loyalty memberships create --program {program} --customer {customer}', 'membership'],
  [`loyalty memberships list ${P}`],
  ['loyalty memberships show {membership}'],
  ['loyalty memberships update {membership} --status suspended'],
  ['loyalty earn {membership} 20'],
  ['loyalty redeem {membership} 5'],
  ['loyalty adjust {membership} -5'],
  ['loyalty ledger {membership}'],
  ['loyalty memberships delete {membership} --with-ledger'],
  ['loyalty programs delete {program}'],
  [`data export --customer {customer} --output ${join(directory, 'luz.tar')}`],
  ['data erase --customer {customer}'],
  ['data erasures'],
  [`customers create ${C} --name Leo`, 'leo'],
  ['customers delete {leo}'],
  [`retention show ${P}`],
  [`retention set ${P} messages=365`],
  ['pipelines delete {pipeline}'],
  ['channels delete {channel}'],
]

const leaves = (command: Command, path: string[] = []): [name: string, command: Command][] =>
  command.commands.flatMap((one) => {
    const own = [...path, one.name()]
    const is_group = one.commands.length > 0 && one.registeredArguments.length === 0
    return [...(is_group ? [] : [[own.join(' '), one] as [string, Command]]), ...leaves(one, own)]
  })
const commands = new Map(leaves(buildProgram()))

/** The command of a line, without its arguments. */
function nameOf(line: string): string {
  const words = line.split(' ')
  for (let length = 3; length > 0; length--) {
    const name = words.slice(0, length).join(' ')
    if (commands.has(name)) return name
  }
  throw new Error(`no command: ${line}`)
}

/** The output, when the list has records: the index of the knowledge follows its changes. */
async function filled(search: () => Promise<Finished>): Promise<Finished | undefined> {
  const ended = await search()
  return ended.out.trim() === '[]' ? undefined : ended
}

/** The fields of a record, or of the first record of a list. */
function fieldsOf(value: Json): string[] {
  if (Array.isArray(value)) return fieldsOf(value[0] ?? {})
  return Object.keys(value ?? {})
}

/** Returns true when no message of the channel that is deleted last waits. */
async function hasSent(): Promise<boolean> {
  const { data } = await made(tenant.api('GET', 'messages?status=queued&limit=200'))
  return data.every(({ channel_id }: Json) => channel_id !== ids.channel)
}

const printed_fields = new Map<string, { is_list: boolean; fields: Set<string> }>()

t.test('every command prints JSON, and destroys nothing unasked', async (t) => {
  const busy = { code: 130429, status: 429, retry_after: 60 }
  await made(world.control('POST', 'faults', { match: { recipient: '+15550187777' }, error: busy }))
  await tenant.subscribe('whole', ['whatsapp.message.received'])
  await tenant.writes('15557760044', { type: 'text', text: { body: 'Hello' } })
  ids.ticket = await eventually('the ticket is there', async () => {
    return (await made(tenant.api('GET', 'crm/tickets?limit=1'))).data[0]?._id
  })
  for (const [line, keep] of lines()) {
    const name = nameOf(line)
    const args = line.replace(/\{(\w+)\}/g, (_, kept) => ids[kept] ?? `no-${kept}`).split(' ')
    if (name === 'pipelines apply')
      args[2] = file('p.json', (await run(['pipelines', 'export', ids.pipeline!], env)).out.replace('Shop', 'Store'))
    const asks = commands.get(name)!.options.some(({ long }) => long === '--yes') && name !== 'broadcast send'
    if (asks) {
      const refused = await run([...args, '--json'], env)
      t.match(refused, { code: 1, out: '', err: /--yes/ }, `${name} refuses without a terminal`)
    }
    if (name === 'channels delete') await eventually('its messages have left', hasSent)
    const again = () => run([...args, '--json', ...(asks ? ['--yes'] : [])], env)
    const { code, out, err } = name === 'knowledge search' ? await eventually(name, () => filled(again)) : await again()
    t.equal(code, 0, `${line}: ${err}`)
    if (code !== 0) continue
    const printed: Json = JSON.parse(out)
    const found = fieldsOf(printed)
    t.not(found.length, 0, `${name} prints fields`)
    const known = printed_fields.get(name)
    printed_fields.set(name, { is_list: Array.isArray(printed), fields: new Set([...(known?.fields ?? []), ...found]) })
    if (keep) ids[keep] = idOf(Array.isArray(printed) ? printed[0] : printed)
    if (line.startsWith('simulate')) {
      await eventually(
        'the delivery',
        async () => (await tenant.deliveries((await made(tenant.api('GET', 'webhooks'))).data[0].id))[0],
      )
    }
  }
})

const idOf = (record: Json): string => record._id ?? record.id ?? record.broadcast_id

t.test('every command is among them, or has a test of its own', (t) => {
  const run_here = lines().map(([line]) => nameOf(line))
  t.same(
    [...commands.keys()].filter((name) => !run_here.includes(name) && !ELSEWHERE.includes(name)),
    [],
  )
  t.same(
    ELSEWHERE.filter((name) => !commands.has(name) || run_here.includes(name)),
    [],
  )
  t.end()
})

/** A field that is added need not be in the manual at once; one of the manual may not be missing. */
t.test('the fields that the manual names are printed', (t) => {
  const page = new URL('../../docs/cli_json.md', import.meta.url)
  const written = readFileSync(page, 'utf8')
  const [begin, end] = ['<!-- fields -->\n', '<!-- /fields -->\n']
  const documented = new Map(written.split('\n').map((row) => [/^\| `([a-z -]+)` \|/.exec(row)?.[1], row]))
  for (const [name, { is_list, fields }] of printed_fields) {
    const row = documented.get(name) ?? ''
    const [, ...names] = [...row.matchAll(/`([^`]+)`/g)].map(([, one]) => one!)
    t.not(
      names.length,
      0,
      `docs/cli_json.md has ${name}: \`TAP_SNAPSHOT=1 npm test -- test/cli/whole.long.test.ts\` writes it`,
    )
    t.same(
      names.filter((one) => !fields.has(one)),
      [],
      `${name} prints what docs/cli_json.md names`,
    )
    t.equal(row.includes('| list of '), is_list, name)
  }
  const rows = [...printed_fields].map(([name, { is_list, fields }]) => {
    const names = [...fields].toSorted().map((field) => `\`${field}\``)
    return `| \`${name}\` | ${is_list ? 'list of ' : ''}${names.join(', ')} |\n`
  })
  const table = `| command | prints |\n|---|---|\n${rows.join('')}`
  if (process.env.TAP_SNAPSHOT === '1')
    writeFileSync(page, `${written.split(begin)[0]}${begin}${table}${end}${written.split(end)[1]}`)
  t.end()
})
