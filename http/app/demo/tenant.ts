/** What a development start offers a newcomer: one company with a project, an agent, a token and a channel of each type. */
import { randomBytes } from 'node:crypto'
import { Providers, scopes } from '../../../actors/mod.ts'
import {
  Channel,
  type Database,
  foundCompany,
  foundProject,
  generateTokenSecret,
  hashPassword,
  hashToken,
  isWellFormedToken,
  newDate,
  objectId,
  type ProjectLimits,
  Token,
  User,
} from '../../../storage/mod.ts'
import { checkChannel } from '../../admin/channel_check.ts'
import type { DemoAccount, SimulatorPlace } from './accounts.ts'
import { foundDemoCrm } from './crm.ts'
import { type Demo, readDemo } from './demo_file.ts'

const agent = { email: 'agent@demo.parley.example', full_name: 'Demo Agent' } as const

export type DemoTenant = Pick<Demo, 'token' | 'company_id' | 'project_id' | 'channels' | 'agent'>

type Options = { data_dir: string; limits: ProjectLimits; accounts: DemoAccount[]; simulator: SimulatorPlace }

/** The tenant of an earlier start when the database still has it, else a new one; with a channel for each account. */
export async function ensureDemoTenant(database: Database, options: Options): Promise<DemoTenant> {
  const known = readDemo(options.data_dir)
  const tenant = known && (await stillThere(database, known)) ? known : await makeTenant(database, options.limits)
  return { ...tenant, channels: await connectAccounts(database, tenant, options) }
}

async function stillThere(database: Database, demo: Demo): Promise<boolean> {
  if (!isWellFormedToken(demo.token)) return false
  const where = { hash: hashToken(demo.token), project_id: demo.project_id, revoked_at: null }
  return (await database.em().findOne(Token, where)) !== null
}

async function makeTenant(database: Database, limits: ProjectLimits): Promise<DemoTenant> {
  const em = database.em()
  const now = newDate()
  const stamps = { created_at: now, updated_at: now }
  const company_id = objectId()
  const project_id = objectId()
  const user_id = objectId()
  const password = randomBytes(9).toString('base64url')
  const token = generateTokenSecret()
  await em.transactional(async (em) => {
    await foundCompany(em, { _id: company_id, name: 'Demo', ...stamps })
    await foundProject(em, { _id: project_id, company_id, name: 'Demo project', limits, ...stamps })
    const permissions = ['developer.manage_tokens', 'console.agent']
    const password_hash = await hashPassword(password)
    const user = { _id: user_id, company_id, ...agent, password_hash, permissions, is_active: true, ...stamps }
    // An earlier demo of the same database may have left its agent.
    await em.nativeUpdate(User, { email: agent.email }, { email: `${user_id}@demo.parley.example` })
    await em.insert(User, user)
    await foundDemoCrm(em, { company_id, project_id, user_id }, now)
    await em.insert(Token, {
      _id: objectId(),
      company_id,
      project_id,
      user_id,
      name: 'Demo token',
      prefix: token.prefix,
      hash: token.hash,
      scopes: [...scopes],
      expires_at: null,
      revoked_at: null,
      ...stamps,
    })
  })
  return {
    token: token.token,
    company_id,
    project_id,
    channels: {},
    agent: { email: agent.email, password },
  }
}

/**
 * Adds the channels that are not there, and tells all of them where the simulator listens now. Who uses one of them may
 * have renamed or switched it off: that stays.
 */
async function connectAccounts(
  database: Database,
  { company_id, project_id, channels }: DemoTenant,
  { accounts, simulator }: Options,
): Promise<Demo['channels']> {
  const now = newDate()
  const rows = accounts.map((account) => {
    const { channel_type, name, provider_account_id } = account
    const _id = channels[channel_type]?.id ?? objectId()
    return {
      _id,
      company_id,
      project_id,
      channel_type,
      provider: 'simulator',
      name,
      provider_account_id,
      credentials: database.vault.seal(_id, 'credentials', JSON.stringify(account.credentials(simulator))),
      is_active: true,
      status: 'connected' as const,
      status_reason: null,
      messages_per_second: null,
      created_at: now,
      updated_at: now,
    }
  })
  const renewed = ['credentials', 'status', 'status_reason'] as const
  await database.em().upsertMany(Channel, rows, { onConflictFields: ['_id'], onConflictMergeFields: [...renewed] })
  await fetchTemplates(database, accounts, rows, simulator)
  return Object.fromEntries(
    rows.map(({ _id, channel_type }, at) => [channel_type, { id: _id, ...accounts[at]!.shown }]),
  )
}

async function fetchTemplates(database: Database, accounts: DemoAccount[], rows: Channel[], simulator: SimulatorPlace) {
  const at = accounts.findIndex(({ channel_type }) => channel_type === 'whatsapp')
  const providers = new Providers()
  const checked = checkChannel(providers, database, rows[at]!, accounts[at]!.credentials(simulator))
  await checked.finally(() => providers.close())
}
