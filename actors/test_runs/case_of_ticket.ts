/** A case of a test set from a conversation that was: what the person wrote, and what the assistant did. */
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
import { Neutral } from './neutral.ts'

const MAX_STEPS = 20
const MAX_BURST = 8
const MAX_TEXT_LENGTH = 8_000
const MAX_FIXTURES = 100
const MAX_TOOLS = 20
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
  const steps = stepsOf(burstsOf(messages.filter(isSaid)), turns, neutral)
  if (steps.length === 0) return 'no_steps'
  const fixtures = fixturesOf(turns, neutral)
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
function stepsOf(bursts: readonly Burst[], turns: readonly AssistantTurn[], neutral: Neutral): TestStep[] {
  const steps: TestStep[] = []
  for (const [at, burst] of bursts.entries()) {
    const turn = turnFor(burst, bursts[at + 1], turns)
    const texts = withinBurst(burst.texts.map((text) => neutral.text(text).slice(0, MAX_TEXT_LENGTH).toWellFormed()))
    if (texts.length === 0) continue
    const expect = turn && expectationOf(turn)
    steps.push({ user: texts.length === 1 ? texts[0]! : texts, ...(expect && { expect }) })
    if (expect?.outcome === 'handed_over') break
  }
  return steps.slice(-MAX_STEPS)
}

/** The last messages of a long burst become one. */
function withinBurst(texts: string[]): string[] {
  const said = texts.filter((text) => text.trim() !== '')
  const rest = said
    .splice(MAX_BURST - 1)
    .join('\n')
    .slice(0, MAX_TEXT_LENGTH)
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
  const tools = [...new Set(names)].slice(0, MAX_TOOLS)
  return { outcome: outcome as 'answered' | 'handed_over', ...(tools.length > 0 && { tools }) }
}

/** The last result of each call. Those that name more arguments come first, because the first that fits answers. */
function fixturesOf(turns: readonly AssistantTurn[], neutral: Neutral): TestFixture[] {
  const fixtures = new Map<string, TestFixture>()
  for (const { kind, name, error, arguments: given = '{}', result = '' } of turns.flatMap(({ steps }) => steps)) {
    if (kind !== 'tool' || name.startsWith(OWN) || NOT_CALLED.has(error?.code ?? '')) continue
    const values = neutral.json(jsonOf(given === '' ? '{}' : given))
    if (typeof values !== 'object' || values === null || Array.isArray(values)) continue
    const key = JSON.stringify([name, values])
    const is_any = Object.keys(values).length === 0
    fixtures.delete(key)
    fixtures.set(key, {
      tool: name,
      ...(!is_any && { arguments: values as Record<string, unknown> }),
      result: neutral.json(jsonOf(result)),
    })
  }
  const size = ({ arguments: given = {} }: TestFixture) => Object.keys(given).length
  return [...fixtures.values()].slice(-MAX_FIXTURES).sort((one, other) => size(other) - size(one))
}

/** A text that was cut is none of JSON any more. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
