import { inTransaction, type Migration } from './step.ts'

/**
 * Audit entries, one for each change by a person, a token or the service itself. Entries have no foreign keys: they
 * outlive the records they name.
 *
 * The trigger refuses every change of an entry, with two doors. A transaction opens one by setting `parley.audit_door`:
 *
 * - `retention` permits deletion, for entries that have expired.
 * - `erasure` permits removing the personal data of an entry (`before`, `after`, `actor_name`, `address`), for the
 *   rights of the people concerned. The rest of the entry has to stay.
 */
export const audit: Migration = {
  name: '0035_audit',
  steps: [
    inTransaction(
      `create table audit_entry (
    _id text collate "C" primary key,
    created_at timestamptz(3) not null default now(),
    actor_kind text not null
      constraint audit_entry_actor_kind_check check (actor_kind in ('operator', 'token', 'user', 'system')),
    actor_id text collate "C",
    actor_name text,
    address text,
    request_id text,
    action text not null,
    target_kind text not null,
    target_id text collate "C",
    company_id text collate "C",
    project_id text collate "C",
    before jsonb,
    after jsonb,
    erased_at timestamptz(3)
  )`,
      `create index audit_entry_actor on audit_entry (actor_id, _id desc)`,
      `create index audit_entry_target on audit_entry (target_id, _id desc)`,
      `create index audit_entry_project on audit_entry (project_id, _id desc)`,
      `create index audit_entry_company on audit_entry (company_id, _id desc)`,
      `create index audit_entry_action on audit_entry (action, _id desc)`,
      `create function audit_entry_guard() returns trigger language plpgsql as $$
    declare
      door text := current_setting('parley.audit_door', true);
    begin
      if tg_op = 'DELETE' and door = 'retention' then
        return old;
      end if;
      if tg_op = 'UPDATE' and door = 'erasure' and new.erased_at is not null
        and new.before is null and new.after is null and new.actor_name is null and new.address is null
        and (new._id, new.created_at, new.actor_kind, new.action, new.target_kind)
          = (old._id, old.created_at, old.actor_kind, old.action, old.target_kind)
        and (new.actor_id, new.request_id, new.target_id, new.company_id, new.project_id)
          is not distinct from (old.actor_id, old.request_id, old.target_id, old.company_id, old.project_id) then
        return new;
      end if;
      raise exception 'audit entries cannot be changed or deleted' using errcode = 'insufficient_privilege';
    end
  $$`,
      `create trigger audit_entry_guard before update or delete on audit_entry
    for each row execute function audit_entry_guard()`,
      `create trigger audit_entry_truncate before truncate on audit_entry
    for each statement execute function audit_entry_guard()`,
    ),
  ],
}
