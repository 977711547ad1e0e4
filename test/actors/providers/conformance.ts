/**
 * The rules that every adapter keeps. A test of an adapter calls `conforms` with its `t` and a far side: the other end
 * of the wire, be it the simulator, a mail server or a browser. One file, because the rules are one list that every
 * adapter passes.
 */
import fc from 'fast-check'
import type { Test } from 'tap'
import { type MessageType, messageTypes } from '../../../actors/message_types.ts'
import { type Carrier, capabilities, messageTypesOf } from '../../../actors/providers/capabilities.ts'
import type { Payload } from '../../../actors/providers/payload.ts'
import type {
  Account,
  BuildOptions,
  Credentials,
  Hook,
  HookCall,
  InboundEcho,
  InboundMessage,
  Provider,
  SendFailure,
} from '../../../actors/providers/provider.ts'
import { MESSAGES } from './messages.ts'

/** A message that the far side accepted, in the form it keeps. */
export type Accepted = { id: string; recipient: string; type: string }

/** A fault of the far side at the next send, once. */
export type Fault = 'auth' | 'rate' | 'permanent' | 'garbage' | 'reset_after' | 'hang'

/** Seconds that the far side asks to wait with a `rate` fault, for providers that say so. */
export const RETRY_AFTER_S = 7

/** A message or action of a person, and its reading by the adapter. */
export type InboundCase = {
  name: string
  /** The person's words or action, in the form of the far side. */
  message: unknown
  context?: { message_id: string }
  type: string
  /** A part of the message as the adapter reads it. */
  expect?: Record<string, unknown>
  /** The address of its file, where webhook calls name that. */
  file?: string
}

export type FarSide = {
  credentials: Credentials
  /** The same account with a secret that the provider does not know. */
  wrong?: Credentials
  /** The same account at an address that refuses connections. Like `wrong`, missing where there is nobody to call. */
  unreachable?: Credentials
  sent(): Promise<Accepted[]>
  fail(fault: Fault): Promise<void>
  /** Makes a person do something, or the business without us. Resolves to the webhook call that the provider made of it. */
  write?(
    from: string,
    said: InboundCase,
    by_business?: boolean,
  ): Promise<{ call: HookCall; provider_message_id: string }>
  /** Messages in place of the usual ones, such as one whose link must lead to a real file. */
  messages?: Partial<Record<MessageType, Payload>>
}

export type Suite = {
  name: string
  /** The adapter's column in the matrix of capabilities. */
  carrier: Carrier
  open(t: Test): Promise<{ provider: Provider; far: FarSide }>
  /** A recipient that the far side accepts. */
  to: string
  /** The far side's name of each type that the matrix allows. */
  accepted_as: Partial<Record<MessageType, string>>
  /** Types that are no message at the far side, so their send gets no id. */
  without_id?: MessageType[]
  /** The provider's faults; the default is all. `auth` and `permanent` give the provider's code. */
  faults: Partial<Record<Fault, { code?: string; scope?: 'channel' | 'recipient'; says_when?: boolean }>>
  /** The id of a message that can be quoted; `quoted-1` unless the provider's ids have a form of their own. */
  quoted?: string
  /** The link to the file that stands for every `media_id`. */
  file_link?: string
  hook?: {
    /** Signs a call as the provider does. */
    sign(raw: string, credentials: Credentials): string
    /** Bodies that are signed correctly, and are no call of this provider. */
    garbage: string[]
    /** The writer's id, as it becomes the contact's `user_id`. */
    from?: string
    inbound: InboundCase[]
    /** Where the business writes, where the provider tells that. */
    origin?: InboundEcho['origin']
  }
}

const OUTCOMES: Record<Fault, Partial<SendFailure>> = {
  auth: { kind: 'disconnect', maybe_accepted: false },
  rate: { kind: 'slow_down', maybe_accepted: false },
  permanent: { kind: 'refuse', maybe_accepted: false },
  garbage: { kind: 'unknown', maybe_accepted: true },
  reset_after: { kind: 'unknown', maybe_accepted: true },
  hang: { kind: 'unknown', code: 'timeout', maybe_accepted: true },
}

const NOW = new Date('2026-11-21T12:00:00Z')
const MEDIA: MessageType[] = ['image', 'video', 'audio', 'document', 'sticker']

export function conforms(t: Test, suite: Suite): void {
  const { name, carrier } = suite
  const types = messageTypesOf(carrier)

  t.test(`${name}: every type of the matrix is built, accepted and kept`, async (t) => {
    const { provider, far } = await suite.open(t)
    for (const type of types) {
      const message = far.messages?.[type] ?? MESSAGES[type]
      const before = (await far.sent()).length
      const request = provider.build(message, optionsOf(suite, far))
      t.strictSame(JSON.parse(JSON.stringify(request)), plain(request), `${type} can be stored`)
      const from = Date.now()
      const outcome = await provider.send(far.credentials, request)
      const kept = (await far.sent()).slice(before)
      t.match(kept, [{ recipient: suite.to, type: suite.accepted_as[type] }], type)
      const id = suite.without_id?.includes(type) ? '' : kept[0]?.id
      const { taken_after = from, ...rest } = outcome as { sent: string; taken_after?: number }
      t.strictSame(rest, { sent: id }, `${type} gets the id of the provider`)
      t.ok(taken_after <= Date.now(), `${type} was taken when it is said`)
    }
    t.strictSame(Object.keys(suite.accepted_as).sort(), [...types].sort(), 'the suite covers the matrix')
  })

  t.test(`${name}: a file goes by its media_id, a quoted message by its id`, async (t) => {
    const { provider, far } = await suite.open(t)
    const context = { message_id: suite.quoted ?? 'quoted-1' }
    const quoting = provider.build(MESSAGES.text, { ...optionsOf(suite, far), context })
    t.match(await provider.send(far.credentials, quoting), { sent: /./ })
    if (suite.file_link === undefined) return
    for (const type of MEDIA.filter((media) => types.includes(media))) {
      const message = { type, media_id: 'med_1' } as Payload
      const request = provider.build(message, optionsOf(suite, far))
      t.match(JSON.stringify(request), suite.file_link, `${type} names the file's address`)
    }
  })

  t.test(`${name}: a type that the matrix lacks is refused`, async (t) => {
    const { provider, far } = await suite.open(t)
    for (const type of messageTypes.filter((one) => !types.includes(one))) {
      t.notOk(capabilities[carrier][type], `${type} has no cell`)
      const refusal = { name: 'Refusal', code: 'MESSAGE_TYPE_NOT_SUPPORTED_FOR_CHANNEL' }
      t.throws(() => provider.build(MESSAGES[type], optionsOf(suite, far)), refusal, type)
    }
    t.equal((await far.sent()).length, 0)
  })

  t.test(`${name}: a failed send has the right meaning`, async (t) => {
    const { provider, far } = await suite.open(t)
    const request = provider.build(MESSAGES.text, optionsOf(suite, far))
    for (const [fault, { says_when, ...facts }] of Object.entries(suite.faults)) {
      await far.fail(fault as Fault)
      const wait = says_when ? { retry_after_s: RETRY_AFTER_S } : {}
      const failure = { ...OUTCOMES[fault as Fault], ...facts, ...wait, message: /./ }
      t.match(await provider.send(far.credentials, request), { failure }, fault)
    }
    t.match(await provider.send(far.credentials, request), { sent: String }, 'and then it works again')
    const away = { kind: 'retry', code: 'connection_refused', maybe_accepted: false }
    if (far.unreachable) t.match(await provider.send(far.unreachable, request), { failure: away }, 'nobody there')
    const stopped = await provider.send(far.credentials, request, AbortSignal.abort())
    t.match(stopped, { failure: { maybe_accepted: false } }, 'stopped before it began')
    if (!far.wrong) return
    t.match(await provider.send(far.wrong, request), { failure: { kind: 'disconnect', maybe_accepted: false } })
  })

  t.test(`${name}: a probe tells good credentials from bad ones`, async (t) => {
    const { provider, far } = await suite.open(t)
    t.match(await provider.probe(far.credentials), { account: Object })
    const turned_down = { kind: 'disconnect', message: /./, maybe_accepted: false }
    if (far.wrong) t.match(await provider.probe(far.wrong), { failure: turned_down })
    const away = { kind: 'retry', maybe_accepted: false }
    if (far.unreachable) t.match(await provider.probe(far.unreachable), { failure: away })
    t.equal((await far.sent()).length, 0, 'and sends nothing')
  })

  t.test(`${name}: the properties of the adapter are valid`, async (t) => {
    const { provider } = await suite.open(t)
    t.ok(provider.window_hours === null || provider.window_hours > 0)
    t.ok(provider.pace.per_second > 0)
    t.equal(provider.hook === null, suite.hook === undefined)
    if (provider.hook) t.equal(provider.hook.signature_header, provider.hook.signature_header.toLowerCase())
  })

  if (suite.hook) hookConforms(t, suite, suite.hook)
}

function hookConforms(t: Test, suite: Suite, hook: NonNullable<Suite['hook']>): void {
  const { sign, garbage, from = 'person-1', inbound } = hook
  const { name } = suite

  t.test(`${name}: messages and actions of a person arrive`, async (t) => {
    const { provider, far } = await suite.open(t)
    for (const said of inbound) {
      const { call: came, provider_message_id } = await far.write!(from, said)
      const call = (await hookOf(provider).prepare?.(came, async () => accountOf(far).credentials, NOW)) ?? came
      const { status, items } = hookOf(provider).read(call, accountOf(far), NOW)
      t.equal(status, 200, said.name)
      const [item, ...others] = items as InboundMessage[]
      t.strictSame(others, [], `${said.name}: one item`)
      const { context = null, type, expect, file } = said
      const has_own_id = type === 'reaction' ? {} : { provider_message_id }
      t.match(item, { kind: 'message', user_id: from, type, message: { type, ...expect }, ...has_own_id }, said.name)
      t.ok(item?.provider_message_id, `${said.name}: an id`)
      if (file) t.match(item?.files, [{ reference: { url: file } }], `${said.name}: the file that is fetched`)
      if (item?.files) t.ok(provider.fetchFile, `${said.name}: the adapter fetches the file`)
      t.strictSame(item?.context, context, `${said.name}: what is quoted`)
      const off = [Date.now(), Number(NOW)].map((now) => Math.abs(Number(item?.at) - now))
      t.ok(Math.min(...off) < 3_600_000, `${said.name}: its time`)
      const { contacts, messages, messaging_product, metadata } = (item?.value ?? {}) as Record<string, unknown[]>
      t.ok(messaging_product && metadata, `${said.name}: the frame of cloud webhooks`)
      t.match(contacts, [Object])
      t.match(messages, [{ id: item?.provider_message_id, timestamp: /^\d{10}$/, type }])
      const again = hookOf(provider).read(call, accountOf(far), NOW)
      t.strictSame(again.items, items, `${said.name}: the same again when it is repeated`)
    }
  })

  if (hook.origin) {
    t.test(
      `${name}: what the business writes to a person elsewhere is an echo, and nothing of the person`,
      async (t) => {
        const { provider, far } = await suite.open(t)
        const [said] = inbound
        const { call, provider_message_id } = await far.write!(from, said!, true)
        const { status, items } = hookOf(provider).read(call, accountOf(far), NOW)
        t.equal(status, 200)
        t.equal(items.length, 1)
        const { type, expect } = said!
        t.match(items[0], { kind: 'echo', origin: hook.origin, opaque: null, user_id: from, provider_message_id, type })
        t.match(items[0], { message: { type, ...expect }, value: { messages: [{ id: provider_message_id, type }] } })
        const [{ from: sender, to } = {}] = (items[0] as InboundEcho).value.messages as Record<string, unknown>[]
        t.same([sender, to], [undefined, from], 'the person is the recipient')
      },
    )
  }

  t.test(`${name}: a call without a proof is refused with 401, a call without content with 400`, async (t) => {
    const { provider, far } = await suite.open(t)
    const account = accountOf(far)
    const read = (raw: string, signature: string | null) => hookOf(provider).read({ raw, signature }, account, NOW)
    const { call } = await far.write!(from, inbound[0]!)
    const other = sign(call.raw, {
      ...far.credentials,
      app_secret: 'another',
      verify_token: 'another',
      webhook_secret: 'another',
    })
    for (const signature of [null, '', 'x', other]) {
      t.match(read(call.raw, signature), { status: 401, items: [] }, `${signature}`)
    }
    const without_secret = { ...account, credentials: {} }
    t.match(hookOf(provider).read(call, without_secret, NOW), { status: 401, items: [] }, 'no secret is set up')
    for (const raw of garbage) t.match(read(raw, sign(raw, far.credentials)), { status: 400, items: [] }, raw)
  })

  t.test(`${name}: no call makes the adapter throw`, async (t) => {
    const { provider, far } = await suite.open(t)
    const account = accountOf(far)
    const genuine: unknown[] = []
    for (const said of inbound) genuine.push(JSON.parse((await far.write!(from, said)).call.raw))
    const survives = (raw: string) => {
      const call = { raw, signature: sign(raw, far.credentials) }
      const { status, items } = hookOf(provider).read(call, account, NOW)
      if (![200, 400].includes(status)) return false
      // PostgreSQL stores the items, and it takes neither NUL nor halves of surrogate pairs.
      return !/\\u0000|\\ud[89a-f]/.test(JSON.stringify(items)) && items.every(isSound)
    }
    fc.assert(fc.property(fc.string({ unit: 'binary' }), survives))
    fc.assert(fc.property(fc.json(), survives))
    const mutated = fc
      .tuple(fc.constantFrom(...genuine), fc.nat(), fc.jsonValue())
      .map(([call, place, value]) => JSON.stringify(withLeaf(call, place, value)))
    fc.assert(fc.property(mutated, survives), { numRuns: 300 })
    const unsigned = (raw: string, signature: string) =>
      hookOf(provider).read({ raw, signature }, account, NOW).items.length === 0
    fc.assert(fc.property(fc.json(), fc.string(), unsigned))
  })
}

/** Returns true when the fields that the domain needs are there, with their types. */
function isSound(item: { kind: string } & Record<string, unknown>): boolean {
  if (item.kind === 'message' || item.kind === 'echo')
    return typeof item.provider_message_id === 'string' && isTime(item.at)
  return item.kind !== 'status' || ((item.provider_message_id !== null || item.up_to !== undefined) && isTime(item.at))
}

function isTime(value: unknown): boolean {
  return value instanceof Date && !Number.isNaN(value.getTime())
}

/** Returns the value with another value at some place in it. */
function withLeaf(value: unknown, place: number, leaf: unknown): unknown {
  if (typeof value === 'string' && /^[[{]/.test(value) && place % 2) {
    return JSON.stringify(withLeaf(JSON.parse(value), place >> 1, leaf))
  }
  if (typeof value !== 'object' || value === null) return leaf
  const keys = Object.keys(value)
  if (keys.length === 0 || place % 7 === 6) return leaf
  const key = keys[place % keys.length]!
  const changed = withLeaf((value as Record<string, unknown>)[key], Math.floor(place / keys.length), leaf)
  return Array.isArray(value)
    ? value.map((each, index) => (String(index) === key ? changed : each))
    : { ...value, [key]: changed }
}

function hookOf({ hook }: Provider): Hook {
  if (!hook) throw new Error('The suite has a hook, the provider has none.')
  return hook
}

function accountOf({ credentials }: FarSide): Account {
  const provider_account_id = credentials.account_id ?? credentials.phone_number_id ?? null
  return { channel_id: '6740a1b2c3d4e5f6a7b8c9d0', name: 'Tests', provider_account_id, credentials }
}

function optionsOf({ to, file_link }: Suite, far: FarSide): BuildOptions {
  return {
    account: accountOf(far),
    to,
    opaque: 'msg_1',
    components: [],
    fileOf: (media_id) => ({
      media_id,
      provider_media_id: null,
      link: file_link ?? '',
      mime_type: 'image/png',
      filename: 'picture.png',
    }),
  }
}

/** Drops the fields that are undefined, as storing the value does. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, each]) => (each === undefined ? [] : [[key, plain(each)]])),
  )
}
