import { inTransaction, type Migration } from './step.ts'

/**
 * What a webhook subscription may ask for: events to fetch instead of requests, thin payloads, CloudEvents, a second
 * signature, a time in which the former secret signs too, and its end when the receiver answers 410. The defaults are
 * what nodes of the release before do.
 *
 * - A pattern such as `crm.ticket.*` is stored in `events` beside the types that it stands for, which older nodes match.
 * - A polled subscription has an address that no name server knows, because the column requires one. It is
 *   `ordering: subscription`, so that its deliveries are found by their position.
 * - `webhook_key` has the Ed25519 keys of projects. The id is made of the project and a number: two nodes cannot both
 *   add the next key. The private key is sealed.
 */
export const webhooks: Migration = {
  name: '0043_webhooks',
  steps: [
    inTransaction(
      `alter table subscription
        add column mode text not null default 'push',
        add column payload text not null default 'full',
        add column format text not null default 'standard',
        add column ed25519 boolean not null default false,
        add column disable_on_410 boolean not null default false,
        add column previous_secret text,
        add column previous_secret_until timestamptz(3)`,
    ),
    inTransaction(
      `create table webhook_key (
        id text collate "C" primary key,
        project_id text collate "C" not null references project on delete cascade,
        number integer not null,
        public_key text collate "C" not null,
        sealed text not null,
        created_at timestamptz(3) not null default now(),
        valid_until timestamptz(3)
      )`,
      'create index webhook_key_project on webhook_key (project_id, number)',
    ),
    inTransaction(
      `alter table subscription
        add constraint subscription_mode_known check (mode in ('push', 'poll')) not valid,
        add constraint subscription_payload_known check (payload in ('full', 'thin')) not valid,
        add constraint subscription_format_known check (format in ('standard', 'cloudevents')) not valid`,
    ),
    inTransaction('alter table subscription validate constraint subscription_mode_known'),
    inTransaction('alter table subscription validate constraint subscription_payload_known'),
    inTransaction('alter table subscription validate constraint subscription_format_known'),
  ],
}
