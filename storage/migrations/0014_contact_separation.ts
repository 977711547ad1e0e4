import { inTransaction, type Migration } from './step.ts'

/**
 * How far contacts that projects share have been taken apart (storage/contact_separation.ts). The work itself is done beside
 * the nodes, in small steps: in a migration it would lock what nodes of the version before are still working with.
 */
export const contactSeparation: Migration = {
  name: '0014_contact_separation',
  steps: [
    inTransaction(
      // One row. `up_to`: the last contact that was looked at; `found`: how many were shared in this walk.
      `create table contact_separation (
    one boolean primary key default true constraint contact_separation_one_check check (one),
    up_to text collate "C" not null default '',
    found integer not null default 0,
    busy_until timestamptz(3),
    ended_at timestamptz(3)
  )`,
      `insert into contact_separation default values`,
    ),
  ],
}
