/** What a development start offers a newcomer: one company with a project, an agent, a token and a simulated number. */
import { randomBytes } from 'node:crypto'
import { Providers, scopes } from '../../actors/mod.ts'
import {
  Channel,
  Company,
  type Database,
  generateTokenSecret,
  hashPassword,
  hashToken,
  isWellFormedToken,
  objectId,
  Project,
  type ProjectLimits,
  Token,
  User,
} from '../../storage/mod.ts'
import { checkChannel } from '../admin/channel_check.ts'
import type { DevelopmentKeys } from '../keys.ts'
import { type Demo, readDemo } from './demo_file.ts'

export const demoNumber = {
  phone_number_id: '106540352242922',
  display_phone_number: '15550100001',
  business_account_id: '102290129340398',
} as const

/** A template that the simulator's account has. */
const template = { template_name: 'order_update', template_language: 'en_US' } as const
const agent = { email: 'agent@demo.parley.example', full_name: 'Demo Agent' } as const

export type DemoTenant = Pick<Demo, 'token' | 'company_id' | 'project_id' | 'channels' | 'agent'>

/** The tenant of an earlier start when the database still has it, else a new one. */
export async function ensureDemoTenant(
  database: Database,
  options: { data_dir: string; keys: DevelopmentKeys; limits: ProjectLimits; simulator_url: string },
): Promise<DemoTenant> {
  const known = readDemo(options.data_dir)
  const tenant = known && (await stillThere(database, known)) ? known : await makeTenant(database, options.limits)
  await connectNumber(database, tenant, options)
  return tenant
}

async function stillThere(database: Database, demo: Demo): Promise<boolean> {
  if (!isWellFormedToken(demo.token)) return false
  const where = { hash: hashToken(demo.token), project_id: demo.project_id, revoked_at: null }
  const token = await database.em().findOne(Token, where)
  return token !== null && demo.channels.whatsapp !== undefined
}

async function makeTenant(database: Database, limits: ProjectLimits): Promise<DemoTenant> {
  const em = database.em()
  const now = new Date()
  const stamps = { created_at: now, updated_at: now }
  const company_id = objectId()
  const project_id = objectId()
  const user_id = objectId()
  const channel_id = objectId()
  const password = randomBytes(9).toString('base64url')
  const token = generateTokenSecret()
  await em.transactional(async (em) => {
    await em.insert(Company, { _id: company_id, name: 'Demo', ...stamps })
    await em.insert(Project, { _id: project_id, company_id, name: 'Demo project', limits, ...stamps })
    const permissions = ['developer.manage_tokens', 'console.agent']
    const password_hash = await hashPassword(password)
    const user = { _id: user_id, company_id, ...agent, password_hash, permissions, is_active: true, ...stamps }
    // An earlier demo of the same database may have left its agent.
    await em.nativeUpdate(User, { email: agent.email }, { email: `${user_id}@demo.parley.example` })
    await em.insert(User, user)
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
    await em.insert(Channel, {
      _id: channel_id,
      company_id,
      project_id,
      channel_type: 'whatsapp',
      provider: 'simulator',
      name: 'Demo WhatsApp number',
      provider_account_id: demoNumber.phone_number_id,
      credentials: null,
      is_active: true,
      status: 'connected',
      status_reason: null,
      ...stamps,
    })
  })
  return {
    token: token.token,
    company_id,
    project_id,
    channels: { whatsapp: { id: channel_id, phone_number_id: demoNumber.phone_number_id, ...template } },
    agent: { email: agent.email, password },
  }
}

/** The simulator may have another address than last time. */
async function connectNumber(
  database: Database,
  tenant: DemoTenant,
  { keys, simulator_url }: { keys: DevelopmentKeys; simulator_url: string },
): Promise<void> {
  const { id } = tenant.channels.whatsapp!
  const { access_token, app_secret, verify_token } = keys.simulator
  const { phone_number_id, business_account_id } = demoNumber
  const credentials = {
    phone_number_id,
    business_account_id,
    access_token,
    app_secret,
    verify_token,
    api_base_url: simulator_url,
  }
  const sealed = database.vault.seal(id, 'credentials', JSON.stringify(credentials))
  const patch = { credentials: sealed, status: 'connected' as const, status_reason: null }
  await database.em().nativeUpdate(Channel, { _id: id }, patch)
  const channel = await database.em().findOneOrFail(Channel, id)
  const providers = new Providers()
  await checkChannel(providers, database, channel, credentials).finally(() => providers.close())
}
