/** Messages, bulk sends and files. */
import {
  AssistantConversation,
  AssistantTurn,
  Broadcast,
  BroadcastRecipient,
  BroadcastSlice,
  BulkAction,
  BulkActionSlice,
  HistoryImport,
  HistoryPart,
  Media,
  Message,
  MessageCost,
  ScheduledMessage,
} from '../../entities/mod.ts'
import { MESSAGE_TEXT_LOCK } from '../../message_text.ts'
import { type Sql, sql } from '../../sql/sql.ts'
import { counted, type ErasureContext, placesOf, type RecordKind } from '../record_kind.ts'
import { inItsChannels, inProject } from './conditions.ts'

/**
 * Pattern of the id of an uploaded file in the JSON of a message: as `media_id`, as a variable of a template or in a
 * link.
 */
export const MEDIA_IDS = sql`${'([0-9a-f]{24})'}`

/** The files that rows of `message` refer to. `rows`: a table, or a part of a statement, with the columns of messages. */
export function filesOf(rows: Sql): Sql {
  return sql`select distinct media_id, said.project_id, said.chat_user
    from ${rows} said cross join lateral regexp_matches(said.message::text, ${MEDIA_IDS}, 'g') found
    join media on media_id = found[1] and media.project_id = said.project_id`
}

/** Rows for `filesOf`: the drafts of agents for these tickets. `tickets`: SQL that selects their ids. */
export function draftsFor(tickets: Sql): Sql {
  return sql`(select attachments as message, draft.project_id, chat_user
    from draft join ticket on ticket._id = ticket_id where ticket_id in (${tickets}))`
}

/** Rows for `filesOf`: notes with files. */
function notesWithFiles(where: Sql): Sql {
  return sql`(select attachments as message, project_id, chat_user from note where attachments is not null and ${where})`
}

/** A part of a statement that stores the files of erased messages; those of a project are erased with it. */
export function rememberFiles({ erasure, subject }: ErasureContext): Sql {
  if (subject.kind === 'project') return sql``
  return sql`, files as (
    insert into data_erasure_part (erasure_id, kind, value, project_id)
    select distinct ${erasure._id}, 'media', media_id, project_id from (${filesOf(sql`gone`)}) files
    on conflict do nothing)`
}

/** Erases rows with a `media_id`, and remembers it. */
function rememberingMedia(table: string): NonNullable<Exclude<RecordKind['erase'], false>> {
  return (em, where, { erasure }) =>
    counted(
      em,
      sql`with gone as (delete from ${sql.id(table)} where ${placesOf(table, where)} returning media_id, project_id),
      files as (
        insert into data_erasure_part (erasure_id, kind, value, project_id)
        select distinct ${erasure._id}, 'media', media_id, project_id from gone on conflict do nothing)
      select count(*)::int as count from gone`,
    )
}

/** The broadcasts of a project. */
const ofItsBroadcasts: RecordKind['project'] = (subject) =>
  sql`broadcast_id in (select id from broadcast where ${inProject(subject)})`

export const conversationKinds: RecordKind[] = [
  {
    type: 'message',
    table: 'message',
    entity: Message,
    person: ({ contacts }) => sql`chat_user = any (${contacts})`,
    project: inProject,
    /** Remembers the files of the messages: those that no other message refers to are erased as well. */
    async erase(em, where, context) {
      // The index of the words must not add a message that is being deleted.
      await em.execute(sql`select pg_advisory_xact_lock(${MESSAGE_TEXT_LOCK})`)
      return counted(
        em,
        sql`with gone as (
          delete from message where ${placesOf('message', where)} 
            returning id, project_id, channel_id, chat_user, broadcast_id, broadcast_index, message
        ), words as (delete from message_text using gone where message_text.id = gone.id),
        -- Notices that wait for a message that never came: a provider's id of a message may contain the phone.
        waiting as (
          delete from early_status early using gone
          where early.channel_id = gone.channel_id and early.notice_id = gone.id
            and early.provider_message_id = gone.message->>'original_message_id'),
        recipients as (
          update broadcast_recipient recipient set phone = '', error = null from gone
          where recipient.broadcast_id = gone.broadcast_id and recipient.index = gone.broadcast_index)${rememberFiles(context)}
        select count(*)::int as count from gone`,
      )
    },
  },
  { type: 'message_text', table: 'message_text', project: inProject },
  // It names no person, and sums must not change when a person is erased.
  { type: 'message_cost', table: 'message_cost', entity: MessageCost, project: inProject },
  {
    type: 'scheduled_message',
    table: 'scheduled_message',
    entity: ScheduledMessage,
    person: ({ contacts }) => sql`chat_user = any (${contacts})`,
    project: inProject,
    erase: (em, where, context) =>
      counted(
        em,
        sql`with gone as (
          delete from scheduled_message where ${placesOf('scheduled_message', where)}
            returning project_id, chat_user, message
        )${rememberFiles(context)}
        select count(*)::int as count from gone`,
      ),
  },
  {
    type: 'assistant_conversation',
    table: 'assistant_conversation',
    entity: AssistantConversation,
    person: ({ contacts, tickets }) => sql`(chat_user = any (${contacts}) or ticket_id = any (${tickets}))`,
    project: inProject,
    // The actor's state has the address of the person, and what a turn has come to.
    erase: (em, where) =>
      counted(
        em,
        sql`with gone as (
          delete from assistant_conversation where ${placesOf('assistant_conversation', where)} returning ticket_id
        ), states as (delete from actor_state using gone where address = 'conversation/' || ticket_id),
        timers as (delete from timer using gone where address = 'conversation/' || ticket_id)
        select count(*)::int as count from gone`,
      ),
  },
  {
    type: 'assistant_turn',
    table: 'assistant_turn',
    entity: AssistantTurn,
    person: ({ contacts, tickets }) => sql`(chat_user = any (${contacts}) or ticket_id = any (${tickets}))`,
    project: inProject,
  },
  { type: 'history_import', table: 'history_import', entity: HistoryImport, project: inProject },
  {
    type: 'history_part',
    table: 'history_part',
    entity: HistoryPart,
    // The contact may be gone by then: its identities lead to the parts.
    person: ({ projects, identities }) => sql`project_id = any (${projects}) and user_id = any (${identities})`,
    project: inProject,
  },
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
        sql`with gone as (delete from broadcast where ${placesOf('broadcast', where, 1)} returning id),
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
      sql`(broadcast_id, index) in (select broadcast_id, broadcast_index from message
        where chat_user = any (${contacts}) and broadcast_id is not null)`,
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
    type: 'bulk_action',
    table: 'bulk_action',
    entity: BulkAction,
    project: inProject,
    erase: (em, where) =>
      counted(
        em,
        sql`with gone as (delete from bulk_action where ${placesOf('bulk_action', where, 1)} returning id),
        slices as (delete from bulk_action_slice using gone where bulk_action_id = gone.id)
        select count(*)::int as count from gone`,
      ),
  },
  {
    type: 'bulk_action_slice',
    table: 'bulk_action_slice',
    entity: BulkActionSlice,
    project: (subject) => sql`bulk_action_id in (select id from bulk_action where ${inProject(subject)})`,
    erase: false,
  },
  {
    type: 'media',
    table: 'media',
    entity: Media,
    hidden: ['blob_key'],
    person: ({ contacts, tickets }) => {
      const theirs = (table: string) => sql`(select * from ${sql.id(table)} where chat_user = any (${contacts}))`
      const rows = [theirs('message'), theirs('scheduled_message'), draftsFor(sql`select unnest(${tickets})`)]
      rows.push(notesWithFiles(sql`(chat_user = any (${contacts}) or ticket_id = any (${tickets}))`))
      return sql`media_id in (
        select media_id from media_recipient where chat_user = any (${contacts})
        ${sql.join(
          rows.map((one) => sql`union all select media_id from (${filesOf(one)}) files`),
          ' ',
        )})`
    },
    project: inProject,
    erase: false,
  },
  {
    type: 'media_fetch',
    table: 'media_fetch',
    person: ({ contacts }) => sql`chat_user = any (${contacts})`,
    project: inProject,
    /** Remembers the files: one may have come since its message was erased. */
    erase: rememberingMedia('media_fetch'),
  },
  {
    type: 'media_recipient',
    table: 'media_recipient',
    person: ({ contacts }) => sql`chat_user = any (${contacts})`,
    project: inProject,
    /** Remembers the files, as those of messages. */
    erase: rememberingMedia('media_recipient'),
  },
]
