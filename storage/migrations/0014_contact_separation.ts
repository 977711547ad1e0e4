import { inTransaction, type Migration } from './step.ts'

/**
 * Progress of separating contacts that projects share (storage/contact_separation.ts). The work itself is done beside
 * the nodes, in small steps: in a migration it would lock rows that nodes of the version before still use.
 */
export const contactSeparation: Migration = {
  name: '0014_contact_separation',
  steps: [
    inTransaction(
      // One row. `up_to`: the last contact examined; `found`: the number of shared contacts in this walk.
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
