/** A case of a test set from a conversation that was: what the person wrote, and what the assistant did. */
import { setImmediate } from 'node:timers/promises'
import {
  type AssistantTurn,
  type ContactPeople,
  type Database,
  readConversationPeople,
  readTranscript,
  readTurnsOfTicket,
  type SaidMessage,
  type TestCase,
  type TestExpectation,
  type TestFixture,
  type TestStep,
} from '../../storage/mod.ts'
import { describeMessage, isSaid } from '../assistants/mod.ts'
import { parseCall } from '../providers/json.ts'
import { testSetBounds, trialBounds } from '../records/mod.ts'
import { storable } from '../values/storable.ts'
import { Neutral } from './neutral.ts'

/** Characters of a result that would have more bytes. */
const MAX_CUT = 1_000
/** Levels of a value. A body of the API has few more, so what is deeper could not be saved again. */
const MAX_DEPTH = 20
/** Parley's own tools. But for the search they need a person, whom a case does not have. */
const OWN = 'parley_'
const SEARCH = 'parley_search_knowledge'
/** Results of calls that reached no tool. */
const NOT_CALLED = new Set([
  'unknown_tool',
  'invalid_json',
  'invalid_arguments',
  'unusable_tool',
  'nothing_changes',
  'busy',
])

type Burst = { texts: string[]; from: Date; answered_by: Set<string> }

/** `chat_user`: the person, whom the case does not name. */
type CaseOfTicket = { chat_user: string; test_case: Omit<TestCase, 'name'> }

/** `no_steps`: the conversation has no message of the person. */
export async function caseOfTicket(
  database: Database,
  { project_id, assistant_id, ticket_id }: { project_id: string; assistant_id: string; ticket_id: string },
): Promise<CaseOfTicket | 'no_ticket' | 'no_steps'> {
  const people = await readConversationPeople(database, project_id, ticket_id)
  if (!people) return 'no_ticket'
  const { messages } = await readTranscript(database, project_id, ticket_id)
  const turns = await readTurnsOfTicket(database, { project_id, assistant_id, ticket_id })
  const neutral = new Neutral(factsOf(people, ticket_id))
  const steps = await stepsOf(burstsOf(messages.filter(isSaid)), turns, neutral)
  if (steps.length === 0) return 'no_steps'
  const fixtures = await fixturesOf(turns, neutral)
  return {
    chat_user: people.contact._id,
    test_case: { steps, ...(fixtures.length > 0 && { fixtures }) },
  }
}

function factsOf({ contact, customer }: ContactPeople, ticket_id: string) {
  const some = (...values: (string | null | undefined)[]) => values.filter((value) => typeof value === 'string')
  const is_mail = contact.channel_type === 'email'
  return {
    names: some(contact.name, contact.address_book_name, customer?.full_name),
    phones: some(contact.phone, customer?.phone, /^\+?[0-9]+$/.test(contact.user_id) ? contact.user_id : null),
    emails: some(contact.email, customer?.email, is_mail ? contact.user_id : null),
    ids: some(contact.user_id, contact.bsuid, customer?.external_id, contact._id, customer?._id, ticket_id),
  }
}

/** Messages of the person that nothing else came between. */
function burstsOf(said: readonly SaidMessage[]): Burst[] {
  const bursts: Burst[] = []
  let is_open = false
  for (const message of said) {
    if (message.direction === 'outbound') {
      bursts.at(-1)?.answered_by.add(message.id)
      is_open = false
      continue
    }
    if (!is_open) bursts.push({ texts: [], from: message.created_at, answered_by: new Set() })
    is_open = true
    const { text, files } = describeMessage(message, new Map())
    const names = files.map(({ name, media_type }) => `[file sent: ${name ?? media_type ?? 'a file'}]`)
    bursts.at(-1)!.texts.push([text, ...names].filter((part) => part.trim() !== '').join('\n'))
  }
  return bursts
}

/** The steps up to a hand-over. A case has no more, because people have the conversation then. */
async function stepsOf(
  bursts: readonly Burst[],
  turns: readonly AssistantTurn[],
  neutral: Neutral,
): Promise<TestStep[]> {
  const steps: TestStep[] = []
  for (const [at, burst] of bursts.entries()) {
    const turn = turnFor(burst, bursts[at + 1], turns)
    const named: string[] = []
    for (const text of burst.texts) {
      named.push(neutral.text(text, trialBounds.text).toWellFormed())
      // Others are served between the texts, which have megabytes together.
      await setImmediate()
    }
    const texts = withinBurst(named)
    if (texts.length === 0) continue
    const expect = turn && expectationOf(turn)
    steps.push({ user: texts.length === 1 ? texts[0]! : texts, ...(expect && { expect }) })
    if (expect?.outcome === 'handed_over') break
  }
  return steps.slice(-testSetBounds.steps)
}

/** The last messages of a long burst become one. */
function withinBurst(texts: string[]): string[] {
  const said = texts.filter((text) => text.trim() !== '')
  const rest = said
    .splice(testSetBounds.burst - 1)
    .join('\n')
    .slice(0, trialBounds.text)
  return rest === '' ? said : [...said, rest.toWellFormed()]
}

/** The turn that answered: by its message, or by its time where nothing was sent. */
function turnFor({ from, answered_by }: Burst, next: Burst | undefined, turns: readonly AssistantTurn[]) {
  const ended = turns.filter(({ outcome }) => outcome === 'answered' || outcome === 'handed_over')
  const by_message = ended.find(({ message_id }) => message_id != null && answered_by.has(message_id))
  const isMeanwhile = ({ started_at }: AssistantTurn) => started_at >= from && (!next || started_at < next.from)
  return by_message ?? ended.findLast((turn) => turn.message_id == null && isMeanwhile(turn))
}

function expectationOf({ outcome, steps }: AssistantTurn): TestExpectation {
  const called = steps.filter(({ kind, error }) => kind === 'tool' && !NOT_CALLED.has(error?.code ?? ''))
  const names = called.map(({ name }) => name).filter((name) => !name.startsWith(OWN) || name === SEARCH)
  const tools = [...new Set(names)].slice(0, testSetBounds.expected)
  return { outcome: outcome as 'answered' | 'handed_over', ...(tools.length > 0 && { tools }) }
}

/** The last result of each call. Those that name more arguments come first, because the first that fits answers. */
async function fixturesOf(turns: readonly AssistantTurn[], neutral: Neutral): Promise<TestFixture[]> {
  const fixtures = new Map<string, TestFixture>()
  for (const { steps } of turns.toReversed()) {
    for (const step of steps.toReversed()) {
      const { kind, name, error, arguments: given = '{}', result = '' } = step
      if (kind !== 'tool' || name.startsWith(OWN) || NOT_CALLED.has(error?.code ?? '')) continue
      const values = neutral.json(jsonOf(given === '' ? '{}' : given))
      if (
        typeof values !== 'object' ||
        values === null ||
        Array.isArray(values) ||
        bytesOf(values) > trialBounds.fixture_json
      )
        continue
      const key = JSON.stringify([name, values])
      if (fixtures.has(key)) continue
      const is_any = Object.keys(values).length === 0
      fixtures.set(key, {
        tool: name,
        ...(!is_any && { arguments: values as Record<string, unknown> }),
        result: fitting(neutral.json(jsonOf(result))),
      })
      if (fixtures.size === trialBounds.fixtures) return inOrder(fixtures)
    }
    await setImmediate()
  }
  return inOrder(fixtures)
}

function inOrder(latest_first: ReadonlyMap<string, TestFixture>): TestFixture[] {
  const size = ({ arguments: given = {} }: TestFixture) => Object.keys(given).length
  return [...latest_first.values()].reverse().sort((one, other) => size(other) - size(one))
}

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value))

/** The result, or the beginning of its text where neutral words made it too long. */
function fitting(result: unknown): unknown {
  return bytesOf(result) <= trialBounds.fixture_json ? result : JSON.stringify(result).slice(0, MAX_CUT).toWellFormed()
}

/** A text that was cut, or has more levels than may be saved, stays a text. */
function jsonOf(text: string): unknown {
  const value = parseCall(text)
  return value !== undefined && isFlat(value, MAX_DEPTH) ? value : storable(text)
}

function isFlat(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return levels > 0 && Object.values(value).every((part) => isFlat(part, levels - 1))
}
