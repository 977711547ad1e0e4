import t from 'tap'
import { NOT_BEGUN } from '../../../../actors/providers/call_not_begun.ts'
import { buildMail } from '../../../../actors/providers/email/request.ts'
import type { SendFailure } from '../../../../actors/providers/provider.ts'
import { givePermit } from '../../../../runtime/work/permit.ts'
import { until } from '../../../runtime/support/wait.ts'
import { startSmtp } from '../../../support/smtp.ts'
import { credentialsOf, options, startEmail } from './channel.ts'

const withUser = (url: string) => url.replace('smtp://', 'smtp://user:password@')
const request = { ...buildMail({ type: 'text', body: 'Hi' }, options()) }
const sure = { maybe_accepted: false }

type Step = 'connect' | 'EHLO' | 'AUTH' | 'MAIL' | 'RCPT' | 'DATA' | 'end'
type Fails = [rule: string, at: Step, reply: string, expected: Partial<SendFailure>]

const replies: Fails[] = [
  [
    'a refused sign-in disconnects the channel',
    'AUTH',
    '535 5.7.8 bad credentials',
    { kind: 'disconnect', code: '535', ...sure },
  ],
  ['a sign-in that fails for now does not', 'AUTH', '454 4.7.0 try again', { kind: 'retry', code: '454', ...sure }],
  [
    'a server that wants another sign-in disconnects',
    'MAIL',
    '530 5.7.0 sign in',
    { kind: 'disconnect', code: '530', ...sure },
  ],
  [
    'an unknown recipient is the end of the mail',
    'RCPT',
    '550 5.1.1 no such user',
    { kind: 'refuse', code: '550', ...sure },
  ],
  [
    'a sender that is not allowed is the end of the mail',
    'MAIL',
    '553 5.7.1 not yours',
    { kind: 'refuse', code: '553', ...sure },
  ],
  ['a mail refused for its content is at its end', 'end', '554 5.7.1 spam', { kind: 'refuse', code: '554', ...sure }],
  ['a recipient deferred comes again', 'RCPT', '451 4.3.0 later', { kind: 'retry', code: '451', ...sure }],
  ['a full mailbox comes again', 'RCPT', '452 4.2.2 over quota', { kind: 'retry', code: '452', ...sure }],
  ['a mail deferred at its end was not taken', 'end', '452 4.3.1 no space', { kind: 'retry', code: '452', ...sure }],
  [
    'a greylisted sender comes again when that is over',
    'RCPT',
    '450 4.7.1 Greylisted, try again in 5 minutes',
    { kind: 'retry', retry_after_s: 300, ...sure },
  ],
  ['421 slows the account down', 'MAIL', '421 4.7.0 too busy', { kind: 'slow_down', scope: 'channel', ...sure }],
  ['421 as greeting does too', 'connect', '421 too many connections', { kind: 'slow_down', scope: 'channel', ...sure }],
  [
    '450 for the rate slows the account down',
    'RCPT',
    '450 4.7.0 rate limit exceeded',
    { kind: 'slow_down', scope: 'channel', ...sure },
  ],
  [
    'a recipient who gets too much slows only that one down',
    'RCPT',
    '450 4.2.1 The user is receiving mail at a rate that prevents delivery',
    { kind: 'slow_down', scope: 'recipient', ...sure },
  ],
  ['a connection cut before the mail is tried again', 'MAIL', 'drop', { kind: 'retry', ...sure }],
  ['one cut when the mail was asked for, too', 'DATA', 'drop', { kind: 'retry', ...sure }],
  ['one cut after the mail leaves a doubt', 'end', 'drop', { kind: 'unknown', maybe_accepted: true }],
  [
    'an answer to the mail that is none leaves a doubt',
    'end',
    'hello',
    { kind: 'unknown', code: 'invalid_mail', maybe_accepted: true },
  ],
  ['no greeting in time is tried again', 'connect', 'hang', { kind: 'retry', code: 'timeout', ...sure }],
  ['no answer to the recipient in time is tried again', 'RCPT', 'hang', { kind: 'retry', code: 'timeout', ...sure }],
  [
    'no answer to the mail in time leaves a doubt',
    'end',
    'hang',
    { kind: 'unknown', code: 'timeout', maybe_accepted: true },
  ],
]

for (const [rule, at, reply, expected] of replies) {
  t.test(rule, async (t) => {
    const server = await startSmtp(t)
    const email = startEmail(t, { deadline_ms: reply === 'hang' ? 250 : 10_000 })
    const credentials = credentialsOf(withUser(server.url))
    server.fail({ at, reply })
    const { failure } = (await email.send(credentials, request)) as { failure: SendFailure }
    t.match(failure, expected)
    t.notMatch(JSON.stringify(failure), /password/)
    t.same(await email.send(credentials, request), { sent: request.message_id }, 'the next one goes out')
    const { mails } = server
    t.equal(mails.length, failure.maybe_accepted ? 2 : 1, 'one that is certainly not taken never was')
    t.same(new Set(mails.map(({ headers }) => headers['message-id'])), new Set([request.message_id]))
  })
}

t.test('an unreachable server is tried again', async (t) => {
  const email = startEmail(t)
  const expected = { failure: { kind: 'retry', code: 'connection_refused', maybe_accepted: false } }
  t.match(await email.send(credentialsOf('smtp://u:p@127.0.0.1:1'), request), expected)
})

t.test(
  'a node that stops ends its attempts, and attempts that wait for a connection count as never made',
  async (t) => {
    const server = await startSmtp(t)
    const email = startEmail(t)
    server.fail(...Array.from({ length: 5 }, () => ({ at: 'RCPT', reply: 'hang' }) as const))
    const stop = new AbortController()
    const sends = Array.from({ length: 8 }, () => email.send(credentialsOf(withUser(server.url)), request, stop.signal))
    stop.abort()
    for (const outcome of await Promise.all(sends))
      t.match(outcome, { failure: { kind: 'retry', maybe_accepted: false } })
    t.equal(server.mails.length, 0)
  },
)

t.test('a mail whose channel another node has taken meanwhile does not leave', async (t) => {
  const server = await startSmtp(t)
  const email = startEmail(t)
  const credentials = credentialsOf(withUser(server.url))
  const [greeting, work] = [Promise.withResolvers<void>(), new AbortController()]
  let is_held = true
  givePermit(work.signal, () => is_held)
  server.hold(greeting.promise)
  const sending = email.send(credentials, request, work.signal)
  await until(() => server.connections() > 0)
  is_held = false
  greeting.resolve()
  t.same(await sending, { failure: NOT_BEGUN })
  t.same(await email.send(credentials, request), { sent: request.message_id }, 'the next one goes out')
  t.equal(server.begun(), 1, 'of the other not a byte came')
})

t.test('unusable credentials disconnect the channel', async (t) => {
  const expected = { failure: { kind: 'disconnect', maybe_accepted: false } }
  for (const bad of [
    {},
    { smtp_url: 'smtp://mail.test', from: 'a@b.test' },
    { smtp_url: 'smtp://u:p@mail.test', from: 'x' },
  ]) {
    t.match(await startEmail(t).send(bad as Record<string, string>, request), expected)
    t.match(await startEmail(t).probe(bad as Record<string, string>), expected)
  }
})
