import { inBatches, inTransaction, type Migration } from './step.ts'

/** The end of a 24-hour window that began at the given time, in the format of `windows`. */
const endOf = (begin: string) =>
  `to_char((${begin} + interval '24 hours') at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/**
 * Windows become per channel: a contact that is tied to a channel type alone may write to several channels.
 *
 * Nodes of the release before use one window of each contact, by `last_inbound_at`. While that column exists, a trigger
 * copies the writes of either release, so both find every open window. It only ever makes windows longer.
 */
export const contactWindows: Migration = {
  name: '0008_contact_windows',
  steps: [
    inTransaction(
      `alter table contact add column windows jsonb not null default '{}'`,
      `comment on column contact.last_inbound_at is 'Unused since 0.1.0: the trigger contact_window keeps it for older nodes.'`,
      `create function contact_window() returns trigger language plpgsql as $$
      declare
        told text;
      begin
        if new.last_inbound_at is distinct from old.last_inbound_at and new.channel_id is not null then
          told := ${endOf('new.last_inbound_at')};
          if told collate "C" > coalesce(new.windows->>new.channel_id, '') then
            new.windows := new.windows || jsonb_build_object(new.channel_id, told);
          end if;
        end if;
        if new.windows is distinct from old.windows then
          told := new.windows->>new.channel_id;
          if new.channel_id is null then
            select max(value collate "C") into told from jsonb_each_text(new.windows);
          end if;
          new.last_inbound_at := greatest(new.last_inbound_at, told::timestamptz - interval '24 hours');
        end if;
        return new;
      end $$`,
      `create trigger contact_window before insert or update of last_inbound_at, windows on contact
        for each row when (new.last_inbound_at is not null or new.windows <> '{}') execute function contact_window()`,
    ),
    inBatches({
      table: 'contact',
      key: '_id',
      set: `windows = windows || jsonb_build_object(channel_id, ${endOf('last_inbound_at')})`,
      where: 'last_inbound_at is not null and channel_id is not null and windows->channel_id is null',
    }),
  ],
}
