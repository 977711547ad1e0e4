import { buildIndex, inTransaction, type Migration } from './step.ts'

/**
 * Messages have the provider's price, by a table of rates that operators load. Each charged message has one row in
 * `message_cost`, from which the sums come. Marketing that is accepted and not charged yet is reserved.
 */
export const messageCosts: Migration = {
  name: '0088_message_costs',
  steps: [
    inTransaction(
      `create table rate (
    market text collate "C" not null,
    category text collate "C" not null,
    valid_from text collate "C" not null,
    currency text not null,
    amount numeric not null constraint rate_amount_check check (amount >= 0),
    created_at timestamptz(3) not null default now(),
    primary key (market, category, valid_from)
  )`,
      `create table message_cost (
    message_id text collate "C" primary key,
    company_id text collate "C" not null,
    project_id text collate "C" not null,
    channel_id text collate "C" not null,
    broadcast_id text collate "C",
    category text not null,
    billable boolean not null,
    amount numeric,
    currency text,
    charged_at timestamptz(3) not null
  )`,
      'create index message_cost_project on message_cost (project_id, charged_at)',
      'create index message_cost_company on message_cost (company_id, charged_at)',
    ),
    inTransaction(
      `alter table message
         add column price json,
         add column charged_at timestamptz(3),
         add column reserved numeric`,
    ),
    inTransaction(
      `alter table broadcast
         add column paused_reason text,
         add column cost numeric,
         add column cost_currency text`,
    ),
    inTransaction('alter table project add column monthly_marketing_cap json'),
    buildIndex('message_reserved', 'message (project_id, created_at) where reserved is not null'),
  ],
}
