import { inTransaction, type Migration } from './step.ts'

const channelTypes = `('web', 'whatsapp', 'facebook', 'messenger', 'instagram', 'tiktok', 'telegram', 'email', 'phone')`

/**
 * The tables of the domain.
 *
 * - Ids are `text collate "C"`: they compare as bytes, so `order by id` is the order of creation in any locale.
 * - Documents that are only stored and shown are `json`, which keeps them as they were written (key order included) and
 *   costs less to insert. Documents that are changed or searched in place are `jsonb`.
 * - Timestamps hold milliseconds, as in the API; a `Date` carries them without loss.
 * - Foreign keys exist only between the records operators manage. The tables of the busy paths (contact, message,
 *   dispatch, event, delivery, idempotency) have none: each row would lock its project's row for share, and they are
 *   written only by the actor that owns the project, channel or subscription.
 */
export const domain: Migration = {
  name: '0002_domain',
  steps: [
    inTransaction(
      `create table company (
    _id text collate "C" primary key,
    name text not null,
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now()
  )`,

      `create table project (
    _id text collate "C" primary key,
    company_id text collate "C" not null references company,
    name text not null,
    limits jsonb not null default '{"minute": 60, "hour": 200, "day": 1000, "ingest_minute": 6000}',
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now()
  )`,
      `create index project_company on project (company_id, _id desc)`,

      `create table "user" (
    _id text collate "C" primary key,
    company_id text collate "C" not null references company,
    full_name text not null,
    email text not null,
    password_hash text,
    permissions text[] not null default '{}',
    is_active boolean not null default true,
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now()
  )`,
      `create unique index user_email on "user" (lower(email))`,
      `create index user_company on "user" (company_id, _id desc)`,

      `create table token (
    _id text collate "C" primary key,
    company_id text collate "C" not null references company,
    project_id text collate "C" not null references project,
    user_id text collate "C" not null references "user",
    name text not null,
    prefix text not null,
    hash text collate "C" not null,
    scopes text[] not null default '{}',
    expires_at timestamptz(3),
    revoked_at timestamptz(3),
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now()
  )`,
      `create unique index token_hash on token (hash)`,
      `create index token_project on token (project_id, _id desc)`,
      `create index token_user on token (user_id)`,

      `create table channel (
    _id text collate "C" primary key,
    company_id text collate "C" not null references company,
    project_id text collate "C" not null references project,
    channel_type text not null constraint channel_channel_type_check check (channel_type in ${channelTypes}),
    provider text not null,
    name text not null,
    provider_account_id text,
    credentials text,
    is_active boolean not null default true,
    status text not null default 'disconnected' constraint channel_status_check check (status in ('connected', 'disconnected')),
    status_reason text,
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now()
  )`,
      `create index channel_project on channel (project_id, _id desc)`,
      // The same account twice in a project would make phone_number_id ambiguous.
      `create unique index channel_account on channel (project_id, channel_type, provider_account_id)
    where provider_account_id is not null`,
      `create index channel_provider_account on channel (provider_account_id) where provider_account_id is not null`,

      `create table template (
    _id text collate "C" primary key,
    company_id text collate "C" not null,
    project_id text collate "C" not null,
    channel_id text collate "C" not null references channel on delete cascade,
    name text not null,
    language text not null,
    status text not null,
    category text not null,
    components json not null default '[]',
    synced_at timestamptz(3) not null default now()
  )`,
      `create unique index template_name on template (channel_id, name, language)`,
      `create index template_project on template (project_id, _id desc)`,

      `create table contact (
    _id text collate "C" primary key,
    company_id text collate "C" not null,
    project_id text collate "C" not null,
    channel_type text not null constraint contact_channel_type_check check (channel_type in ${channelTypes}),
    user_id text not null,
    channel_id text collate "C",
    name text,
    phone text,
    avatar text,
    custom_fields jsonb not null default '{}',
    customer_id text collate "C",
    bsuid text,
    last_inbound_at timestamptz(3),
    first_seen_at timestamptz(3) not null default now(),
    last_seen_at timestamptz(3) not null default now(),
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now()
  ) with (fillfactor = 85)`,
      `create unique index contact_identity on contact (company_id, channel_type, channel_id, user_id) nulls not distinct`,
      `create index contact_project on contact (project_id, _id desc)`,
      `create index contact_phone on contact (project_id, phone) where phone is not null`,
      `create index contact_bsuid on contact (project_id, bsuid) where bsuid is not null`,
      `create index contact_customer on contact (customer_id) where customer_id is not null`,

      `create table message (
    id text collate "C" primary key,
    company_id text collate "C" not null,
    project_id text collate "C" not null,
    channel text not null,
    channel_id text collate "C" not null,
    direction text not null constraint message_direction_check check (direction in ('inbound', 'outbound')),
    "to" text,
    "from" text,
    chat_user text collate "C",
    type text not null,
    message json not null,
    context json,
    meta_data json,
    status text not null,
    provider_message_id text,
    error json,
    created_at timestamptz(3) not null default now(),
    sent_at timestamptz(3),
    delivered_at timestamptz(3),
    read_at timestamptz(3),
    failed_at timestamptz(3),
    updated_at timestamptz(3) not null default now(),
    constraint message_status_check check (case direction
      when 'inbound' then status = 'received'
      else status in ('queued', 'sent', 'delivered', 'read', 'failed') end),
    -- What the two partial indexes below rely on.
    constraint message_failed_at_check check (status <> 'failed' or failed_at is not null),
    constraint message_queued_check check (status <> 'queued' or (sent_at is null and failed_at is null))
  ) with (fillfactor = 85)`,
      `create index message_project on message (project_id, id desc)`,
      `create index message_chat_user on message (chat_user, id desc) where chat_user is not null`,
      `create unique index message_provider on message (channel_id, provider_message_id) where provider_message_id is not null`,
      // Rare statuses have their own index. Its condition names the times and not the status, because a status in an
      // index would make every "delivered" and "read" rewrite all indexes of the row (no heap-only update).
      `create index message_failed on message (project_id, id desc) where failed_at is not null`,
      `create index message_unsent on message (project_id, id desc)
    where direction = 'outbound' and sent_at is null and failed_at is null`,

      `create table dispatch (
    message_id text collate "C" primary key,
    channel_id text collate "C" not null,
    project_id text collate "C" not null,
    number bigint not null,
    recipient text not null,
    request json not null,
    state text not null default 'queued' constraint dispatch_state_check check (state in ('queued', 'attempting')),
    attempts integer not null default 0,
    next_attempt_at timestamptz(3),
    created_at timestamptz(3) not null default now()
  ) with (fillfactor = 70)`,
      // Rows live only while unsent, so the whole table is the queue and one index in sending order serves it.
      `create index dispatch_channel on dispatch (channel_id, number)`,

      `create table event (
    id text collate "C" primary key,
    project_id text collate "C" not null,
    type text not null,
    data json not null,
    created_at timestamptz(3) not null default now()
  )`,

      `create table subscription (
    id text collate "C" primary key,
    company_id text collate "C" not null,
    project_id text collate "C" not null references project,
    name text not null,
    url text not null,
    events text[] not null,
    headers text,
    is_active boolean not null default true,
    secret text not null,
    secret_prefix text not null,
    failure_count integer not null default 0,
    disabled_reason text,
    last_delivery_at timestamptz(3),
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now(),
    deleted_at timestamptz(3)
  ) with (fillfactor = 70)`,
      `create index subscription_project on subscription (project_id, id desc)`,

      `create table delivery (
    id text collate "C" primary key,
    subscription_id text collate "C" not null,
    project_id text collate "C" not null,
    event_id text collate "C" not null,
    event_type text not null,
    status text not null default 'pending'
      constraint delivery_status_check check (status in ('pending', 'success', 'failed', 'dead')),
    status_code integer,
    attempts integer not null default 0,
    duration_ms integer,
    last_error text,
    next_attempt_at timestamptz(3),
    delivered_at timestamptz(3),
    is_test boolean not null default false,
    created_at timestamptz(3) not null default now()
  ) with (fillfactor = 85)`,
      `create index delivery_subscription on delivery (subscription_id, id desc)`,
      `create index delivery_due on delivery (subscription_id, next_attempt_at)
    where status in ('pending', 'failed') and next_attempt_at is not null`,
      // Serves the list by status. Successes, the bulk of the rows, are listed without a filter and need no entry.
      `create index delivery_unsuccessful on delivery (subscription_id, status, id desc) where status <> 'success'`,

      `create table idempotency (
    project_id text collate "C" not null,
    route text collate "C" not null,
    key text collate "C" not null,
    body_hash text collate "C" not null,
    status integer not null,
    body json,
    created_at timestamptz(3) not null default now(),
    primary key (project_id, route, key)
  )`,
      `create index idempotency_created on idempotency (created_at)`,
    ),
  ],
}
