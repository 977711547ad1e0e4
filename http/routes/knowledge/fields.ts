/** Fields of knowledge nodes, in the public API and in that of operators. */
import * as v from 'valibot'
import {
  across,
  composedText,
  fieldsOf,
  isUrl,
  MAX_CONTENT_LENGTH,
  maxCharacters,
  minCharacters,
  recordId,
  treeNode,
} from '../../../actors/mod.ts'
import { knowledgeLanguages, treePlaceOf } from '../../../storage/mod.ts'
import { pageOf } from '../../server/schema/fields.ts'

/** Bytes: a character of a content has at most four in UTF-8, and all other fields are small. */
export const DOCUMENT_BODY_LIMIT = 2 * 1024 * 1024

const MAX_NAME_LENGTH = 255
const MAX_QUERY_LENGTH = 400
/** Maximum nodes that a search may name. */
const MAX_NODE_IDS = 200

const name = v.pipe(
  v.string(),
  composedText(),
  minCharacters(1),
  maxCharacters(MAX_NAME_LENGTH),
  v.check((text) => text === '' || text.trim() !== '', 'must not be blank'),
  v.check((text) => !/\p{Cc}/u.test(text), 'must be one line, without control characters'),
)

const source_url = v.nullable(
  v.pipe(
    v.string(),
    maxCharacters(2048),
    v.check((text) => isWebAddress(text), 'must be a URL such as https://example.com/returns'),
  ),
)

const language = v.nullable(
  v.picklist(knowledgeLanguages, 'must be the ISO 639-1 code of a supported language, such as "es"; null to detect it'),
)

const content = v.pipe(v.string(), maxCharacters(MAX_CONTENT_LENGTH))

/** Fields of a new node, but for its project. */
export const newKnowledgeNode = {
  type: v.picklist(['folder', 'document']),
  name,
  parent_id: v.optional(v.pipe(v.nullable(recordId), v.description('A folder; null, the default, for the top'))),
  content: v.optional(v.pipe(content, v.description('Text or Markdown of a document'))),
  source_url: v.optional(v.pipe(source_url, v.description('Where the text of a document comes from'))),
  language: v.optional(v.pipe(language, v.description('ISO 639-1; detected by default'))),
}

/** Folders have no text. */
export function onlyInDocuments<Input>() {
  return across<Input>((value, say) => {
    const sent = fieldsOf(value)
    if (sent.type !== 'folder') return
    for (const field of ['content', 'source_url', 'language']) {
      if (sent[field] !== undefined && sent[field] !== null) say('is only for documents', [field])
    }
  })
}

export const knowledgePatch = v.strictObject({
  name: v.optional(name),
  parent_id: v.optional(v.pipe(v.nullable(recordId), v.description('The folder to move it into; null for the top'))),
  content: v.optional(content),
  source_url: v.optional(source_url),
  language: v.optional(v.pipe(language, v.description('null to detect it'))),
})

/** Fields of a search, but for its project. */
export const knowledgeQuery = {
  query: v.pipe(
    v.string(),
    minCharacters(1),
    maxCharacters(MAX_QUERY_LENGTH),
    v.check((text) => text === '' || text.trim() !== '', 'must not be blank'),
    v.description('Words; the last one may be unfinished'),
  ),
  limit: v.optional(
    v.pipe(
      v.number(),
      v.integer('must be a whole number from 1 to 50'),
      v.minValue(1, 'must be a whole number from 1 to 50'),
      v.maxValue(50, 'must be a whole number from 1 to 50'),
    ),
    10,
  ),
  node_ids: v.optional(
    v.pipe(
      v.array(v.unknown()),
      v.minLength(1, 'must name at least one node'),
      v.maxLength(MAX_NODE_IDS, `must name at most ${MAX_NODE_IDS} nodes`),
      v.array(recordId),
      v.description('Documents and folders to search in, with all below them'),
    ),
  ),
}

/** `limit` of a tree: nodes of each folder. */
const limit = v.optional(
  v.pipe(
    v.string(),
    v.regex(/^\d{1,9}$/, 'must be a whole number from 1 to 200'),
    v.transform(Number),
    v.minValue(1),
    v.maxValue(200),
  ),
  '200',
)

const depth = v.optional(
  v.pipe(
    v.string(),
    v.regex(/^\d{1,9}$/, 'must be a whole number from 1 to 20'),
    v.transform(Number),
    v.minValue(1),
    v.maxValue(20),
  ),
  '20',
)

/** Where the page before ended. */
const treePlace = v.optional(
  v.pipe(
    v.string(),
    v.check((cursor) => treePlaceOf(cursor) !== undefined, 'must be the next_cursor of a page'),
    v.transform((cursor) => treePlaceOf(cursor)!),
  ),
)

export const treeQuery = { parent_id: v.optional(recordId), depth, limit, cursor: treePlace }

export const versionOfNode = ({ version }: { version: number }): number => version

export const knowledgeTree = pageOf(treeNode)

export const knowledgeHits = v.object({
  data: v.array(
    v.object({
      node_id: recordId,
      name: v.string(),
      snippet: v.pipe(v.string(), v.description('The part of the text that holds most of the words')),
      highlight: v.pipe(
        v.string(),
        v.description('The snippet as HTML whose only tag is <em> around each word that was found'),
      ),
      score: v.pipe(v.number(), v.description('BM25; only comparable within one answer')),
    }),
  ),
})

/** Codes of refusals to place a node. */
export const placeErrors = [
  'KNOWLEDGE_PARENT_NOT_FOUND',
  'KNOWLEDGE_PARENT_NOT_FOLDER',
  'KNOWLEDGE_TOO_DEEP',
  'KNOWLEDGE_FOLDER_FULL',
] as const

function isWebAddress(text: string): boolean {
  return /^https?:\/\/\S+$/i.test(text) && isUrl(text)
}
