/** E-mails in the thread of the console. The modules run without a DOM. */
import { join } from 'node:path'
import t from 'tap'

const pages = join(import.meta.dirname, '../../http/console/page/inbox')
const { mailParts, originalText } = await import(join(pages, 'thread/content/mail_quotes.ts'))
const { wordsOf } = await import(join(pages, '../crm/preview.ts'))
const { rowAfterMessage } = await import(join(pages, '../crm/rows.ts'))

/** What is quoted stands in brackets. */
const drawn = (text: string): string =>
  mailParts(text)
    .map((part: { text: string; is_quoted: boolean }) => (part.is_quoted ? `[${part.text}]` : part.text))
    .join(' | ')

const QUOTE = '> One\n> Two'
const LONG = Array.from({ length: 7 }, (_, at) => `> ${at}`).join('\n')
const rows: [rule: string, text: string, shown: string][] = [
  ['nothing is quoted', 'Hello\n\nBye', 'Hello\n\nBye'],
  ['marks at the end', `Yes\n\n${QUOTE}`, `Yes | [${QUOTE}]`],
  [
    'who wrote it',
    `Yes\n\nOn Mon, 30 Nov 2026 Ana wrote:\n${QUOTE}\n`,
    `Yes | [On Mon, 30 Nov 2026 Ana wrote:\n${QUOTE}]`,
  ],
  [
    'who wrote it, in two lines',
    `Yes\n\nOn Mon, 30 Nov 2026 at 10:00, Ana\n<ana@x.example> wrote:\n${QUOTE}`,
    `Yes | [On Mon, 30 Nov 2026 at 10:00, Ana\n<ana@x.example> wrote:\n${QUOTE}]`,
  ],
  [
    'in German',
    `Ja\n\nAm 30.11.2026 um 10:00 schrieb Ana:\n${QUOTE}`,
    `Ja | [Am 30.11.2026 um 10:00 schrieb Ana:\n${QUOTE}]`,
  ],
  [
    'in Spanish',
    `Sí\nEl lun, 30 nov 2026, Ana escribió:\n${QUOTE}`,
    `Sí | [El lun, 30 nov 2026, Ana escribió:\n${QUOTE}]`,
  ],
  [
    'the line of Outlook',
    'Yes\n\n-----Original Message-----\nFrom: Ana',
    'Yes | [-----Original Message-----\nFrom: Ana]',
  ],
  [
    'the header of Outlook',
    'Yes\n\nFrom: Ana\nSent: Monday\nTo: x\n\nOld',
    'Yes | [From: Ana\nSent: Monday\nTo: x\n\nOld]',
  ],
  ['an answer below a long quote', `${LONG}\nYes`, `[${LONG}] | Yes`],
  ['answers between quotes', '> One\nyes\n> Two\nno', '> One\nyes\n> Two\nno'],
  ['all is quoted', QUOTE, QUOTE],
  [
    'a forwarded mail',
    'See:\n---------- Forwarded message ----------\nFrom: Ana\n\nHi',
    'See:\n---------- Forwarded message ----------\nFrom: Ana\n\nHi',
  ],
  ...[
    '---------- Forwarded message ---------\nFrom: Ana <ana@x.example>\nDate: Mon, 30 Nov 2026\nSubject: Bill\nTo: x\n\nPay',
    'Begin forwarded message:\n\nFrom: Ana <ana@x.example>\nSubject: Bill\nDate: 30 November 2026\nTo: x\n\nPay',
    '-------- Weitergeleitete Nachricht --------\nBetreff: \tBill\nDatum: \t30 Nov\nVon: \tAna <ana@x.example>\n\nPay',
    `-------- Mensaje reenviado --------\n${QUOTE}`,
  ].map((mail): [string, string, string] => ['a forwarded mail with its header', `See:\n${mail}`, `See:\n${mail}`]),
  ...['From: Madrid\nTo: Paris\nDate: 12 May', 'De: Sevilla\nA: Roma\nFecha: 3 de mayo\n\nDos personas'].map(
    (trip): [string, string, string] => ['a journey', `Hello\n${trip}\nThanks`, `Hello\n${trip}\nThanks`],
  ),
  ...['From: Ana <ana@x.example>\nDate: Monday\nTo: x', 'De : Ana\nDate : lundi\nÀ : x\nObjet : Offre'].map(
    (head): [string, string, string] => ['other headers', `Yes\n\n${head}\n\nOld`, `Yes | [${head}\n\nOld]`],
  ),
  ['a sentence that begins with From', 'From: where do you send?\nThanks', 'From: where do you send?\nThanks'],
]

t.test('what is quoted from earlier mails is folded', async (t) => {
  for (const [rule, text, shown] of rows) t.equal(drawn(text), shown, rule)
})

t.test('long texts are divided in linear time', async (t) => {
  for (const unit of ['> ', '>\n', 'On \n', 'From: x\n', '\n', 'On x wrote', '-'])
    t.equal(typeof drawn(unit.repeat(200_000 / unit.length)), 'string', `many ${unit}`)
})

t.test('the original is shown in its characters', async (t) => {
  t.equal(originalText(Buffer.from('Año').toString('base64')), 'Año')
  t.equal(originalText(Buffer.from('Año', 'latin1').toString('base64')), 'Año')
})

t.test('a mail without text is named by its subject', async (t) => {
  t.equal(wordsOf({ type: 'text', message: { body: '', subject: 'Offer' } }), 'Offer')
  t.equal(wordsOf({ type: 'text', message: { body: '' } }), 'Text')
})

t.test('a row changes with the mail that arrives', async (t) => {
  const row = { last_message: null, unread_count: 0, last_activity_at: '2026-11-30T10:00:00.000Z', waiting_since: null }
  const message = { body: '', subject: 'Offer', auto_submitted: 'list', attachments: [{ filename: 'bill.pdf' }] }
  const arrived = {
    id: 'msg_1',
    type: 'text',
    direction: 'inbound',
    status: 'received',
    created_at: '2026-11-30T10:00:01.000Z',
  }
  t.match(rowAfterMessage(row, { ...arrived, message }, true).last_message, { text: 'Automatic: Offer' })
})
