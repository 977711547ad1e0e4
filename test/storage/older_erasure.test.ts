/** The database erases what nodes of the release before do not know, when they erase a person or a project. */
import t from 'tap'
import { rowsWith } from '../e2e/traces.ts'
import { testDatabase } from '../support/mod.ts'

const { database } = await testDatabase(t)
const [COMPANY, PROJECT, CHANNEL, AGENT] = ['c', 'd', 'e', 'f'].map((digit) => digit.repeat(24)) as [
  string,
  string,
  string,
  string,
]
const [ZORA, BOB] = ['zora', 'bob']

await database.execute(`
  insert into company (_id, name) values ('${COMPANY}', 'Shop');
  insert into project (_id, company_id, name) values ('${PROJECT}', '${COMPANY}', 'Shop');
  insert into "user" (_id, company_id, full_name, email, permissions) values ('${AGENT}', '${COMPANY}', 'Eva', 'eva@x.example', '{}');
  insert into channel (_id, company_id, project_id, channel_type, provider, name, status, credentials)
    values ('${CHANNEL}', '${COMPANY}', '${PROJECT}', 'web', 'cloud', 'Chat', 'connected', '{}')`)

const file = (name: string) => (name === 'shared' ? '5'.repeat(24) : name === ZORA ? '6'.repeat(24) : '7'.repeat(24))
for (const name of ['shared', ZORA, BOB]) {
  await database.execute(`insert into media (media_id, company_id, project_id, mime_type, file_size, sha256, blob_key, expires_at)
    values ('${file(name)}', '${COMPANY}', '${PROJECT}', 'text/plain', 1, 'x', 'blob', now())`)
}

/** A visitor of the web chat with a ticket, and all that a node of this release keeps about them. */
async function makeVisitor(name: string): Promise<void> {
  const message = JSON.stringify({ type: 'text', body: `to ${name}`, files: [file(name), file('shared')] })
  await database.execute(`
    insert into contact (_id, company_id, project_id, channel_type, channel_id, user_id, custom_fields, first_seen_at, last_seen_at)
      values ('contact-${name}', '${COMPANY}', '${PROJECT}', 'web', '${CHANNEL}', 'visitor-${name}', '{}', now(), now());
    insert into ticket (_id, company_id, project_id, chat_user) values ('ticket-${name}', '${COMPANY}', '${PROJECT}', 'contact-${name}');
    insert into ticket_activity (ticket_id, unread_count, last_activity_at) values ('ticket-${name}', 1, now());
    insert into ticket_read (user_id, ticket_id, project_id, read_count, read_at)
      values ('${AGENT}', 'ticket-${name}', '${PROJECT}', 1, now());
    insert into draft (ticket_id, user_id, kind, project_id, version, content, updated_at)
      values ('ticket-${name}', '${AGENT}', 'reply', '${PROJECT}', 1, 'Dear ${name}', now());
    insert into notification (_id, company_id, project_id, user_id, type, ticket_id, chat_user, data, created_at)
      values ('notification-${name}', '${COMPANY}', '${PROJECT}', '${AGENT}', 'assignment', 'ticket-${name}', 'contact-${name}', '{}', now());
    insert into scheduled_message (id, company_id, project_id, ticket_id, chat_user, channel, message, send_at, created_by)
      values ('scheduled-${name}', '${COMPANY}', '${PROJECT}', 'ticket-${name}', 'contact-${name}', 'web', '${message}', now(), '${AGENT}');
    insert into visitor_session (hash, company_id, project_id, channel_id, user_id, is_identified, expires_at)
      values ('hash-of-${name}', '${COMPANY}', '${PROJECT}', '${CHANNEL}', 'visitor-${name}', true, now() + interval '30 days');
    insert into visitor_identity (channel_id, external_id, company_id, project_id, user_id, name)
      values ('${CHANNEL}', 'site-${name}', '${COMPANY}', '${PROJECT}', 'visitor-${name}', '${name}')`)
}

const tracesOf = async (name: string) => (await rowsWith(database, [name])).map((row) => row.split(':')[0])

t.test('a person', async (t) => {
  await makeVisitor(ZORA)
  await makeVisitor(BOB)
  const before = await tracesOf(BOB)
  await database.execute(`
    insert into data_erasure_part (erasure_id, kind, value, project_id, identities)
      values ('erasure', 'contact', 'contact-zora', '${PROJECT}', '["visitor-zora"]'),
        ('erasure', 'ticket', 'ticket-zora', null, null), ('erasure', 'identity', 'visitor-zora', '${PROJECT}', null);
    delete from contact where _id = 'contact-zora'; delete from ticket where _id = 'ticket-zora';
    delete from ticket_activity where ticket_id = 'ticket-zora'`)
  const files = await database.execute(`select value, project_id from data_erasure_part where kind = 'media'`)
  t.same(files, [{ value: file(ZORA), project_id: PROJECT }], 'its own file is looked for, and not that of others')
  await database.execute(`delete from data_erasure_part where erasure_id = 'erasure'`)
  t.same(await tracesOf(ZORA), ['visitor_session'])
  const [session] = await database.execute(`select user_id, is_identified, ended_at is not null as has_ended,
    expires_at > now() + interval '24 hours' as is_kept from visitor_session where hash = 'hash-of-zora'`)
  t.same(session, { user_id: '', is_identified: false, has_ended: true, is_kept: true }, 'its token stays invalid')
  t.same(await tracesOf(BOB), before)
})

t.test('a project', async (t) => {
  await database.execute(`
    insert into bulk_action (id, company_id, project_id, user_id, filter, action, total)
      values ('action', '${COMPANY}', '${PROJECT}', '${AGENT}', '{}', '{}', 1);
    insert into bulk_action_slice (bulk_action_id, first, ticket_ids) values ('action', 0, '{ticket-bob}');
    delete from ticket; delete from ticket_activity; delete from contact; delete from channel; delete from media;
    delete from project where _id = '${PROJECT}'`)
  t.same(await tracesOf(BOB), [])
  t.same(await rowsWith(database, [PROJECT]), [])
})
