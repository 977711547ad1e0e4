/** One search over people, tickets and messages, for consoles. */
import * as v from 'valibot'
import {
  channelTypes,
  composedText,
  maxCharacters,
  minCharacters,
  named,
  recordId,
  type Scope,
  timestamp,
} from '../../../actors/mod.ts'
import { Refusal } from '../../../runtime/mod.ts'
import {
  type Database,
  findToken,
  phoneIn,
  type SearchCandidate,
  searchContacts,
  searchMessages,
  searchTickets,
} from '../../../storage/mod.ts'
import type { Route } from '../../server/route/route.ts'
import { route } from '../../server/route/typed_route.ts'
import { offset, pageAmong, uncountedPageOf } from '../../server/schema/fields.ts'
import { former } from '../../server/schema/former.ts'
import { fold, type Held, highlight } from './highlight.ts'

type Kind = 'contact' | 'ticket' | 'message'

const kinds: Record<Kind, { scope: Scope; find: typeof searchTickets; anywhere: boolean }> = {
  contact: { scope: 'contacts:read', find: searchContacts, anywhere: true },
  ticket: { scope: 'crm:tickets:read', find: searchTickets, anywhere: true },
  message: { scope: 'messages:read', find: searchMessages, anywhere: false },
}
const kindNames = Object.keys(kinds) as Kind[]

/** Weight of a match by field; all custom fields weigh the same. */
const WEIGHTS: Record<string, number> = {
  name: 1,
  phone: 1,
  user_id: 0.9,
  category: 0.9,
  tags: 0.9,
  'contact.name': 0.8,
  'contact.phone': 0.8,
  text: 0.6,
  caption: 0.6,
  filename: 0.6,
}
const OTHER_WEIGHT = 0.7
/** Score of a match of a word's beginning or part, relative to a whole word. */
const PART = 0.6

/** Candidates ranked per kind: the newest records that contain all words. */
const RANKED = 200
const MAX_WORDS = 8

const hit = named(
  'SearchHit',
  v.object({
    kind: v.picklist(kindNames),
    id: v.pipe(v.string(), v.description('Id of the contact, the ticket or the message')),
    chat_user: v.nullable(recordId),
    chat_user_name: v.nullable(v.string()),
    channel: v.pipe(
      v.nullable(v.picklist(channelTypes)),
      v.description('The channel of the message, or else of the contact; null when there is no contact'),
    ),
    created_at: timestamp,
    score: v.pipe(v.number(), v.description('0 to 1')),
    highlight: v.pipe(
      v.array(v.object({ field: v.string(), text: v.string() })),
      v.description('The text around the words, as HTML whose only tag is <em> around each match'),
    ),
  }),
)

const kindList = v.pipe(
  v.string(),
  v.transform((text) => text.split(',')),
  v.array(v.picklist(kindNames)),
  v.maxLength(kindNames.length),
)

const text = v.pipe(
  v.string(),
  composedText(),
  v.trim(),
  minCharacters(2),
  maxCharacters(200),
  v.description('The words to look for, at least 2 characters. Required. Case and accents do not matter'),
)

const limit = v.optional(
  v.pipe(
    v.string(),
    v.regex(/^\d{1,9}$/, 'must be a whole number from 1 to 50'),
    v.transform(Number),
    v.minValue(1),
    v.maxValue(50),
  ),
  '20',
)

export const crmSearchRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/v1/crm/search',
    operation: 'search_crm',
    example: { query: { search: 'order' } },
    summary: 'Search contacts, tickets and messages, best match first; each kind needs its read scope',
    auth: 'token',
    scope: 'crm:tickets:read',
    query: v.strictObject({
      search: text,
      q: former('search', text, '2026-11-29'),
      kinds: v.optional(kindList),
      limit,
      offset,
    }),
    status: 200,
    response: v.object({ ...uncountedPageOf(hit).entries, kinds: v.array(v.picklist(kindNames)) }),
    async read({ query }, { database, project_id, token_id, session }) {
      // Agents read all kinds.
      const allowed: Kind[] = session ? kindNames : await readable(database, project_id, token_id)
      const searched = query.kinds ? chosen(query.kinds, allowed) : allowed
      const with_contacts = allowed.includes('contact')
      const words = wordsOf(query.search)
      if (words.length === 0) return { ...pageAmong([], query), kinds: searched }
      const found: Hit[] = []
      const phone = phoneIn(query.search)
      // One after the other, because a read has one connection.
      for (const kind of searched) {
        const hits = new Map<string, Hit>()
        for (const searched of kind === 'message' || phone === undefined ? [words] : [words, [phone]]) {
          const candidates = await kinds[kind].find(database, project_id, searched, RANKED, with_contacts)
          const folded = searched.map(fold)
          for (const candidate of candidates) hits.set(candidate.id, toHit(kind, candidate, folded))
        }
        found.push(...hits.values())
      }
      found.sort((a, b) => b.score - a.score || (a.created_at < b.created_at ? 1 : -1))
      return { ...pageAmong(found, query), kinds: searched }
    },
  }),
]

/** The kinds that the token may read. */
async function readable(database: Database, project_id: string, token_id: string): Promise<Kind[]> {
  const scopes = (await findToken(database, project_id, token_id))?.scopes ?? []
  return kindNames.filter((kind) => scopes.includes(kinds[kind].scope))
}

/** @throws {Refusal} INSUFFICIENT_SCOPE when the token may not read a requested kind */
function chosen(asked: Kind[], allowed: Kind[]): Kind[] {
  const needed = [...new Set(asked)]
  const required = needed.map((kind) => kinds[kind].scope)
  const missing = needed.filter((kind) => !allowed.includes(kind)).map((kind) => kinds[kind].scope)
  if (missing.length === 0) return kindNames.filter((kind) => asked.includes(kind))
  const message = `The token lacks the scope ${missing.join(', ')}, which these kinds need.`
  throw new Refusal('INSUFFICIENT_SCOPE', { message, details: { required, missing } })
}

/** The words between spaces, without punctuation around them. */
function wordsOf(search: string): string[] {
  const words = search.split(/\s+/).flatMap((word) => /[\p{L}\p{N}](?:.*[\p{L}\p{N}\p{M}])?/su.exec(word)?.[0] ?? [])
  return [...new Set(words)].slice(0, MAX_WORDS)
}

type Hit = ReturnType<typeof toHit>

function toHit(kind: Kind, { fields, ...candidate }: SearchCandidate, words: string[]) {
  const held: { field: string; found: Held }[] = []
  for (const { field, text } of fields) {
    const found = highlight(text, words, kinds[kind].anywhere)
    if (found) held.push({ field, found })
  }
  const score = words.reduce((sum, word) => sum + Math.max(0, ...held.map((one) => worth(one, word))), 0) / words.length
  return {
    kind,
    ...candidate,
    score: Math.round(score * 1000) / 1000,
    highlight: held.map(({ field, found }) => ({ field, text: found.html })),
  }
}

function worth({ field, found }: { field: string; found: Held }, word: string): number {
  const part = found.whole.has(word) ? 1 : found.part.has(word) ? PART : 0
  return part * (WEIGHTS[field] ?? OTHER_WEIGHT)
}
