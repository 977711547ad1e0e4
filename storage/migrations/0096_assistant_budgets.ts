import { inTransaction, type Migration } from './step.ts'

/** Models cost money: what assistants may spend, and what they have spent. */
export const assistantBudgets: Migration = {
  name: '0096_assistant_budgets',
  steps: [
    inTransaction(
      `create table assistant_spending (
        project_id text collate "C" not null,
        scope text collate "C" not null,
        period text collate "C" not null,
        tokens bigint not null default 0,
        cost numeric(30) not null default 0,
        reserved_tokens bigint not null default 0,
        reserved_cost numeric(30) not null default 0,
        updated_at timestamptz(3) not null,
        primary key (project_id, scope, period)
      ) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000)`,
    ),
    inTransaction('alter table assistant add column budget json'),
    inTransaction('alter table project add column assistant_budget json'),
  ],
}
