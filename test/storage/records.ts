import {
  Channel,
  Company,
  type Database,
  Delivery,
  generateTokenSecret,
  Message,
  objectId,
  Project,
  prefixedId,
  Subscription,
  Token,
  User,
} from '../../storage/mod.ts'

/** Writes rows for tests of the storage room straight to the tables. */

const now = () => new Date()

export type Tenant = { company: Company; project: Project; user: User; token: Token; secret: string }

/** Stores a company with one project, one user and one token. */
export async function storeTenant(database: Database): Promise<Tenant> {
  const stamps = { created_at: now(), updated_at: now() }
  const company = { _id: objectId(), name: 'Acme', ...stamps } as Company
  const limits = { minute: 60, hour: 200, day: 1000, ingest_minute: 6000 }
  const project = { _id: objectId(), company_id: company._id, name: 'Support', limits, ...stamps } as Project
  const user = {
    _id: objectId(),
    company_id: company._id,
    full_name: 'Ana Díaz',
    email: `${objectId()}@example.com`,
    permissions: ['developer.manage_tokens'],
    is_active: true,
    ...stamps,
  } as User
  const { token: secret, prefix, hash } = generateTokenSecret()
  const token = {
    _id: objectId(),
    company_id: company._id,
    project_id: project._id,
    user_id: user._id,
    name: 'CI',
    prefix,
    hash,
    scopes: ['messages:read'],
    ...stamps,
  } as Token
  const em = database.em()
  await em.insert(Company, company)
  await em.insert(Project, project)
  await em.insert(User, user)
  await em.insert(Token, token)
  return { company, project, user, token, secret }
}

export async function storeMessage(
  database: Database,
  project: Project,
  fields: Partial<Message> = {},
): Promise<Message> {
  const row = {
    id: prefixedId('msg'),
    company_id: project.company_id,
    project_id: project._id,
    channel: 'whatsapp',
    channel_id: objectId(),
    direction: 'outbound',
    to: '+5215512345678',
    type: 'text',
    message: { type: 'text', body: 'hello' },
    status: 'queued',
    created_at: now(),
    updated_at: now(),
    ...fields,
  } as Message
  await database.em().insert(Message, row)
  return row
}

export async function storeSubscription(
  database: Database,
  project: Project,
  fields: Partial<Subscription> = {},
): Promise<Subscription> {
  const id = prefixedId('wh')
  const row = {
    id,
    company_id: project.company_id,
    project_id: project._id,
    name: 'Orders',
    url: 'https://example.com/hook',
    events: ['whatsapp.message.received'],
    headers: database.vault.seal(id, 'headers', '{"x-key":"1"}'),
    is_active: true,
    secret: database.vault.seal(id, 'secret', 'whsec_x'),
    secret_prefix: 'whsec_abcdef',
    failure_count: 0,
    created_at: now(),
    updated_at: now(),
    ...fields,
  } as Subscription
  await database.em().insert(Subscription, row)
  return row
}

export async function storeDelivery(
  database: Database,
  subscription: Subscription,
  fields: Partial<Delivery> = {},
): Promise<Delivery> {
  const row = {
    id: prefixedId('dlv'),
    subscription_id: subscription.id,
    project_id: subscription.project_id,
    event_id: prefixedId('evt'),
    event_type: 'whatsapp.message.received',
    status: 'pending',
    attempts: 0,
    is_test: false,
    created_at: now(),
    ...fields,
  } as Delivery
  await database.em().insert(Delivery, row)
  return row
}

export async function storeChannel(
  database: Database,
  project: Project,
  fields: Partial<Channel> = {},
): Promise<Channel> {
  const row = {
    _id: objectId(),
    company_id: project.company_id,
    project_id: project._id,
    channel_type: 'whatsapp',
    provider: 'cloud',
    name: 'Main',
    is_active: true,
    status: 'connected',
    created_at: now(),
    updated_at: now(),
    ...fields,
  } as Channel
  await database.em().insert(Channel, row)
  return row
}
