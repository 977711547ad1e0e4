import { inTransaction, type Migration } from './step.ts'

/** The progress of rotations of `PARLEY_SECRET`: one row for each key that values were sealed with anew. */
export const secretRotation: Migration = {
  name: '0038_secret_rotation',
  steps: [
    inTransaction(
      `create table secret_rotation (
      key_id text collate "C" primary key,
      place integer not null default 0,
      done_up_to json,
      resealed bigint not null default 0,
      started_at timestamptz(3) not null default now(),
      finished_at timestamptz(3)
    )`,
    ),
  ],
}
