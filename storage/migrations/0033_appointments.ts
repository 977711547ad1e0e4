import { inTransaction, type Migration } from './step.ts'

/**
 * Appointments of projects.
 *
 * - `appointment_slot` keeps the pending and confirmed appointments of one assignee apart, in all projects of the
 *   company. A range ends before its last moment, so one appointment may begin when another ends. `btree_gist` comes
 *   with PostgreSQL and is trusted, as `pg_trgm` is.
 * - `appointment_counter` has the last number that was given. The actor of the project raises it in the transaction that
 *   stores the appointment, so numbers have no gaps. `appointment_number` refuses a number that is given twice.
 */
export const appointments: Migration = {
  name: '0033_appointments',
  steps: [
    inTransaction(
      'create extension if not exists btree_gist',

      `create table appointment (
    id text collate "C" primary key,
    company_id text collate "C" not null,
    project_id text collate "C" not null references project,
    number integer not null,
    status text not null constraint appointment_status_check
      check (status in ('pending', 'confirmed', 'cancelled', 'completed', 'no_show')),
    modality text not null constraint appointment_modality_check check (modality in ('online', 'in-person')),
    payment_status text not null constraint appointment_payment_status_check
      check (payment_status in ('unpaid', 'pending', 'paid', 'refunded')),
    amount numeric,
    currency text,
    starts_at timestamptz(3) not null,
    ends_at timestamptz(3) not null,
    timezone text not null,
    chat_user text collate "C",
    customer_id text collate "C" references customer on delete set null,
    assigned_to text collate "C",
    meeting_url text,
    location text,
    reminder json,
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now(),
    constraint appointment_times_check check (starts_at < ends_at),
    constraint appointment_slot exclude using gist (assigned_to with =, tstzrange(starts_at, ends_at) with &&)
      where (status in ('pending', 'confirmed'))
  )`,
      `create unique index appointment_number on appointment (project_id, number)`,
      `create index appointment_start on appointment (project_id, starts_at, id)`,
      `create index appointment_status on appointment (project_id, status, starts_at, id)`,
      `create index appointment_assignee on appointment (assigned_to, starts_at, id) where assigned_to is not null`,
      `create index appointment_customer on appointment (customer_id, starts_at, id) where customer_id is not null`,
      `create index appointment_contact on appointment (chat_user, starts_at, id) where chat_user is not null`,

      // Half of each page stays free, so that a row is rewritten in place.
      `create table appointment_counter (
    project_id text collate "C" primary key references project on delete cascade,
    last_number integer not null
  ) with (fillfactor = 50)`,
    ),
  ],
}
