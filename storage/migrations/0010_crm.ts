import { buildIndex, inTransaction, type Migration } from './step.ts'

/** Event types that the service itself records; `actors/project/tickets/system_events.ts` defines when. */
const systemTypes = `('ticket.created', 'Ticket created'), ('ticket.stage_changed', 'Ticket moved to another stage'),
  ('ticket.assigned', 'Ticket assigned'), ('ticket.closed', 'Ticket closed'), ('ticket.reopened', 'Ticket reopened'),
  ('message.template_sent', 'Template sent'), ('flow.response_received', 'Flow answered'),
  ('appointment.created', 'Appointment created'), ('appointment.confirmed', 'Appointment confirmed'),
  ('appointment.cancelled', 'Appointment cancelled'), ('appointment.completed', 'Appointment completed'),
  ('payment.link_sent', 'Payment link sent'), ('payment.confirmed', 'Payment confirmed')`

/** An id of 24 hex digits, for rows that a migration makes. */
const newId = `substr(md5(random()::text || clock_timestamp()::text), 1, 24)`

const stamps = `created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now()`

/**
 * Tickets, pipelines, customers, notes and timeline events.
 *
 * - Unique indexes enforce the rules under any concurrency: one open ticket per contact, one default pipeline per
 *   project, one event per company and idempotency key.
 * - As in the tables before, those of the busy paths (ticket, ticket_activity, note, crm_event) have no foreign keys.
 * - Trigram indexes answer "contains" searches; `pg_trgm` comes with PostgreSQL and is trusted, so no superuser is
 *   needed.
 */
export const crm: Migration = {
  name: '0010_crm',
  steps: [
    inTransaction(
      'create extension if not exists pg_trgm',

      `create table pipeline (
    _id text collate "C" primary key,
    company_id text collate "C" not null references company,
    project_id text collate "C" not null references project on delete cascade,
    name text not null,
    is_default boolean not null default false,
    ${stamps}
  )`,
      `create index pipeline_project on pipeline (project_id, _id desc)`,
      `create unique index pipeline_default on pipeline (project_id) where is_default`,

      `create table pipeline_stage (
    _id text collate "C" primary key,
    pipeline_id text collate "C" not null references pipeline on delete cascade,
    project_id text collate "C" not null,
    name text not null,
    position integer not null,
    rules jsonb not null default '{}',
    assigned_count integer not null default 0,
    ${stamps}
  )`,
      `create index pipeline_stage_pipeline on pipeline_stage (pipeline_id, position)`,
      `create index pipeline_stage_project on pipeline_stage (project_id)`,

      `create table tag (
    _id text collate "C" primary key,
    company_id text collate "C" not null references company,
    project_id text collate "C" not null references project on delete cascade,
    name text not null,
    color text,
    ${stamps}
  )`,
      `create unique index tag_name on tag (project_id, lower(name))`,

      `create table customer (
    _id text collate "C" primary key,
    company_id text collate "C" not null references company,
    full_name text not null,
    email text,
    phone text,
    tags text[] not null default '{}',
    custom_fields jsonb not null default '{}',
    ${stamps}
  )`,
      `create index customer_company on customer (company_id, _id desc)`,
      `create index customer_phone on customer (company_id, phone) where phone is not null`,
      `create index customer_email on customer (company_id, lower(email)) where email is not null`,
      `create index customer_search on customer using gin ((lower(full_name || ' ' || coalesce(email, ''))) gin_trgm_ops)`,

      `create table event_type (
    _id text collate "C" primary key,
    company_id text collate "C" not null references company on delete cascade,
    key text collate "C" not null,
    name text not null,
    is_system boolean not null default false,
    fields jsonb not null default '[]',
    ${stamps}
  )`,
      `create unique index event_type_key on event_type (company_id, key)`,

      `create table custom_field (
    _id text collate "C" primary key,
    company_id text collate "C" not null references company on delete cascade,
    owner text not null constraint custom_field_owner_check check (owner in ('contact', 'ticket', 'customer')),
    key text collate "C" not null,
    name text not null,
    type text not null,
    options text[],
    ${stamps}
  )`,
      `create unique index custom_field_key on custom_field (company_id, owner, key)`,

      `create table ticket (
    _id text collate "C" primary key,
    company_id text collate "C" not null,
    project_id text collate "C" not null,
    chat_user text collate "C" not null,
    is_closed boolean not null default false,
    priority text constraint ticket_priority_check check (priority in ('low', 'medium', 'high', 'urgent')),
    tag_ids text[] not null default '{}',
    custom_fields jsonb not null default '{}',
    stage_id text collate "C",
    prioridad text,
    contexto text,
    problema text,
    recomendaciones text,
    resolution text constraint ticket_resolution_check check (resolution in ('won', 'lost')),
    category text,
    assigned_to text collate "C",
    amount numeric(19,4),
    amount_currency text,
    amount_status text constraint ticket_amount_status_check check (amount_status in ('estimated', 'confirmed')),
    conversation_summary jsonb,
    version integer not null default 1,
    closed_at timestamptz(3),
    ${stamps},
    constraint ticket_closed_at_check check (is_closed = (closed_at is not null))
  ) with (fillfactor = 85)`,
      `create unique index ticket_open on ticket (chat_user) where not is_closed`,
      `create index ticket_chat_user on ticket (chat_user, _id desc)`,
      `create index ticket_project on ticket (project_id, _id desc)`,
      `create index ticket_project_open on ticket (project_id, _id desc) where not is_closed`,
      `create index ticket_priority on ticket (project_id, priority, _id desc) where priority is not null`,
      `create index ticket_stage on ticket (stage_id, _id desc)`,
      `create index ticket_assigned on ticket (assigned_to, _id desc) where assigned_to is not null`,
      `create index ticket_tags on ticket using gin (tag_ids)`,

      // Half of each page stays free, so that a row is rewritten in place without index updates.
      `create table ticket_activity (
    ticket_id text collate "C" primary key,
    unread_count integer not null default 0,
    last_activity_at timestamptz(3) not null
  ) with (fillfactor = 50)`,

      `create table note (
    _id text collate "C" primary key,
    company_id text collate "C" not null,
    project_id text collate "C" not null,
    content text not null,
    type text not null constraint note_type_check check (type in ('note', 'call', 'email', 'meeting')),
    chat_user text collate "C",
    ticket_id text collate "C",
    created_by text collate "C" not null,
    created_at timestamptz(3) not null default now(),
    constraint note_target_check check (chat_user is not null or ticket_id is not null)
  )`,
      `create index note_project on note (project_id, _id desc)`,
      `create index note_ticket on note (ticket_id, _id desc) where ticket_id is not null`,
      `create index note_timeline on note (ticket_id, created_at desc, _id desc) where ticket_id is not null`,
      `create index note_chat_user on note (chat_user, _id desc) where chat_user is not null`,

      // The busiest table has no index that it can do without: its key also serves the order of the list, and the
      // events of a contact are found by its tickets.
      `create table crm_event (
    _id text collate "C" not null,
    company_id text collate "C" not null,
    project_id text collate "C" not null,
    event_type text collate "C" not null,
    data json not null,
    ticket_id text collate "C" not null,
    chat_user text collate "C" not null,
    idempotency_key text collate "C",
    created_at timestamptz(3) not null default now(),
    primary key (project_id, _id)
  )`,
      `create index crm_event_type on crm_event (project_id, event_type, _id desc)`,
      `create index crm_event_timeline on crm_event (ticket_id, created_at desc, _id desc)`,
      `create unique index crm_event_key on crm_event (company_id, idempotency_key) where idempotency_key is not null`,
    ),
    // The messages of a timeline; ids alone do not give the order between nodes.
    buildIndex('message_timeline', 'message (chat_user, created_at desc, id desc) where chat_user is not null'),
    inTransaction(
      `insert into event_type (_id, company_id, key, name, is_system)
    select ${newId}, company._id, type.key, type.name, true from company, (values ${systemTypes}) as type (key, name)`,
      `insert into pipeline (_id, company_id, project_id, name, is_default)
    select ${newId}, company_id, _id, 'Default', true from project`,
      `insert into pipeline_stage (_id, pipeline_id, project_id, name, position)
    select ${newId}, pipeline._id, project_id, stage.name, stage.position
    from pipeline, (values (0, 'New'), (1, 'In progress'), (2, 'Done')) as stage (position, name)`,
    ),
  ],
}
