/** The tenant of a development start: one company with a project, an agent, a token and a channel of each type. */
import { randomBytes } from 'node:crypto'
import { Providers, scopes } from '../../../actors/mod.ts'
import {
  type Channel,
  type Database,
  findToken,
  findTokenByHash,
  generateTokenSecret,
  hashPassword,
  hashToken,
  isWellFormedToken,
  keepChannels,
  newDate,
  objectId,
  type ProjectLimits,
  storeDemo,
} from '../../../storage/mod.ts'
import { checkChannel } from '../../admin/channels/channel_check.ts'
import type { DemoAccount, SimulatorPlace } from './accounts.ts'
import { demoTool } from './agent_tool.ts'
import { demoAssistant } from './assistants.ts'
import { demoCrm } from './crm.ts'
import { type Demo, readDemo } from './demo_file.ts'
import { demoKnowledge } from './knowledge.ts'

const agent = { email: 'agent@demo.parley.example', full_name: 'Demo Agent' } as const

export type DemoTenant = Pick<Demo, 'token' | 'company_id' | 'project_id' | 'channels' | 'agent'>

type Options = {
  data_dir: string
  limits: ProjectLimits
  /** The model of the assistant. */
  model: string
  accounts: DemoAccount[]
  simulator: SimulatorPlace
}

/** The tenant of an earlier start when the database still has it, else a new one; with a channel for each account. */
export async function ensureDemoTenant(database: Database, options: Options): Promise<DemoTenant> {
  const known = readDemo(options.data_dir)
  const tenant = known && (await stillThere(database, known)) ? known : await makeTenant(database, options)
  return { ...tenant, channels: await connectAccounts(database, tenant, options) }
}

async function stillThere(database: Database, demo: Demo): Promise<boolean> {
  if (!isWellFormedToken(demo.token)) return false
  const found = await findTokenByHash(database, hashToken(demo.token))
  const token = found && (await findToken(database, demo.project_id, found.token_id))
  return token !== undefined && token.revoked_at === null
}

async function makeTenant(
  database: Database,
  { limits, model, simulator }: Pick<Options, 'limits' | 'model' | 'simulator'>,
): Promise<DemoTenant> {
  const now = newDate()
  const stamps = { created_at: now, updated_at: now }
  const company_id = objectId()
  const project_id = objectId()
  const user_id = objectId()
  const password = randomBytes(9).toString('base64url')
  const { token, prefix, hash } = generateTokenSecret()
  const permissions = [
    'developer.manage_tokens',
    'developer.manage_webhooks',
    'console.agent',
    'console.manage_templates',
    'console.manage_assistants',
    'console.operator',
  ]
  const password_hash = await hashPassword(password)
  const never = { last_used_at: null, warned_days: null, warned_expires_at: null }
  const live = { expires_at: null, revoked_at: null, ...never }
  const owner = { company_id, project_id, user_id }
  const knowledge = demoKnowledge({ company_id, project_id }, now)
  const web_channel_id = objectId()
  const knowledge_node_ids = knowledge.flatMap(({ _id, parent_id }) => (parent_id ? [] : [_id]))
  const { assistant, ...assistant_parts } = demoAssistant(owner, { model, web_channel_id, knowledge_node_ids }, now)
  const tenant = {
    company: { _id: company_id, name: 'Demo', ...stamps },
    project: {
      _id: project_id,
      company_id,
      name: 'Demo project',
      limits,
      office_hours: null,
      monthly_marketing_cap: null,
      assistant_budget: null,
      unread_mail_minutes: null,
      ...stamps,
    },
    agent: {
      _id: user_id,
      company_id,
      ...agent,
      password_hash,
      permissions,
      is_active: true,
      photo_sha256: null,
      ...stamps,
    },
    token: { _id: objectId(), ...owner, name: 'Demo token', prefix, hash, scopes: [...scopes], ...live, ...stamps },
    ...demoCrm(owner, now),
    assistant,
    ...assistant_parts,
    ...demoTool({ company_id, project_id, assistant_id: assistant._id }, simulator.url, now),
    knowledge,
  }
  await storeDemo(database, tenant, `${user_id}@demo.parley.example`)
  const channels = { web: { id: web_channel_id } }
  return { token, company_id, project_id, channels, agent: { email: agent.email, password } }
}

/**
 * Adds missing channels, and updates the simulator's address in all of them. Users may have renamed a channel or
 * disabled it: that stays.
 */
async function connectAccounts(
  database: Database,
  { company_id, project_id, channels }: DemoTenant,
  { accounts, simulator }: Options,
): Promise<Demo['channels']> {
  const known_accounts = accounts.map((account) => {
    const { channel_type, name, provider_account_id } = account
    const _id = channels[channel_type]?.id ?? objectId()
    const owner = { company_id, project_id, channel_type, provider: 'simulator', provider_account_id }
    const credentials = account.credentials(simulator)
    return { _id, ...owner, name, credentials, is_active: true, messages_per_second: null }
  })
  const rows = await keepChannels(database, known_accounts)
  await fetchTemplates(database, accounts, rows, simulator)
  return Object.fromEntries(
    rows.map(({ _id, channel_type }, at) => [channel_type, { id: _id, ...accounts[at]!.facts }]),
  )
}

async function fetchTemplates(database: Database, accounts: DemoAccount[], rows: Channel[], simulator: SimulatorPlace) {
  const at = accounts.findIndex(({ channel_type }) => channel_type === 'whatsapp')
  const providers = new Providers()
  const checked = checkChannel(providers, database, rows[at]!, accounts[at]!.credentials(simulator))
  await checked.finally(() => providers.close())
}
