/** Messages, bulk sends and files. */
import { Broadcast, BroadcastRecipient, BroadcastSlice, Media, Message } from '../../entities/mod.ts'
import { MESSAGE_TEXT_LOCK } from '../../message_text.ts'
import { literal } from '../../write_set.ts'
import { counted, placesOf, type RecordKind } from '../record_kind.ts'
import { textArray } from '../subject.ts'
import { inItsChannels, inProject } from './conditions.ts'

/** Ids of uploaded files in the JSON of a message. */
export const MEDIA_IDS = literal('"media_id"\\s*:\\s*"([0-9a-f]{24})"')

/** The broadcasts of a project. */
const ofItsBroadcasts: RecordKind['project'] = (subject) =>
  `broadcast_id in (select id from broadcast where ${inProject(subject)})`

export const conversationKinds: RecordKind[] = [
  {
    type: 'message',
    table: 'message',
    entity: Message,
    person: ({ contacts }) => `chat_user = any (${textArray(contacts)})`,
    project: inProject,
    /** Remembers the files of the messages: those that no other message refers to are erased as well. */
    async erase(em, where, { erasure, subject }) {
      // The index of the words must not add a message that is being deleted.
      await em.execute(`select pg_advisory_xact_lock(${MESSAGE_TEXT_LOCK})`)
      const files =
        subject.kind === 'project'
          ? ''
          : `, files as (
        insert into data_erasure_part (erasure_id, kind, value, project_id)
        select distinct ${literal(erasure._id)}, 'media', found[1], project_id
        from gone cross join lateral regexp_matches(message::text, ${MEDIA_IDS}, 'g') found
        on conflict do nothing)`
      return counted(
        em,
        `with gone as (
          delete from message where ${placesOf('message', where)} returning id, project_id, broadcast_id, broadcast_index, message
        ), words as (delete from message_text using gone where message_text.id = gone.id),
        recipients as (
          update broadcast_recipient recipient set phone = '', error = null from gone
          where recipient.broadcast_id = gone.broadcast_id and recipient.index = gone.broadcast_index)${files}
        select count(*)::int as count from gone`,
      )
    },
  },
  { type: 'message_text', table: 'message_text', project: inProject },
  { type: 'dispatch', table: 'dispatch', project: inItsChannels },
  { type: 'early_status', table: 'early_status', project: inItsChannels },
  {
    type: 'broadcast',
    table: 'broadcast',
    entity: Broadcast,
    project: inProject,
    // One at a time: it has up to 5000 recipients.
    erase: (em, where) =>
      counted(
        em,
        `with gone as (delete from broadcast where ${placesOf('broadcast', where, 1)} returning id),
        slices as (delete from broadcast_slice using gone where broadcast_id = gone.id),
        recipients as (delete from broadcast_recipient using gone where broadcast_id = gone.id)
        select count(*)::int as count from gone`,
      ),
  },
  {
    type: 'broadcast_recipient',
    table: 'broadcast_recipient',
    entity: BroadcastRecipient,
    person: ({ contacts }) =>
      `(broadcast_id, index) in (select broadcast_id, broadcast_index from message
        where chat_user = any (${textArray(contacts)}) and broadcast_id is not null)`,
    project: ofItsBroadcasts,
    erase: false,
  },
  {
    type: 'broadcast_slice',
    table: 'broadcast_slice',
    entity: BroadcastSlice,
    project: ofItsBroadcasts,
    erase: false,
  },
  {
    type: 'media',
    table: 'media',
    entity: Media,
    hidden: ['blob_key'],
    person: ({ contacts }) => `media_id in (
      select found[1] from message cross join lateral regexp_matches(message::text, ${MEDIA_IDS}, 'g') found
      where chat_user = any (${textArray(contacts)}))`,
    project: inProject,
    erase: false,
  },
]
