/** The beginning of an import, with a new document or with the one that an earlier import of the source has made. */

import { createHash } from 'node:crypto'
import { Unavailable } from '../../../runtime/mod.ts'
import { blank, type ImportOrigin, KnowledgeImport, type KnowledgeNode, objectId } from '../../../storage/mod.ts'
import { parseUrl } from '../../outbound/mod.ts'
import { type KnowledgeNodeRecord, toKnowledgeNodeRecord } from '../../records/mod.ts'
import { plainName } from '../../values/plain_name.ts'
import { addNode } from '../knowledge/add_node.ts'
import { mustTakeNew } from '../knowledge/place.ts'
import { knowledgeReads, wantParent } from '../knowledge/reads.ts'
import type { Reads } from '../turn/reads.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { changeDocument, changeImport, documentOf, isUnfinished, keepFile, textHashOf } from './document.ts'
import { importReads } from './reads.ts'
import { MAX_UNFINISHED } from './running.ts'

/** Fields of a request. */
export type ImportFields = {
  parent_id?: string | null | undefined
  /** Without a name, the document's title becomes its name. */
  name?: string | undefined
  /** ISO 639-1; detected when it is not given. */
  language?: string | null | undefined
}

export type UploadedFile = {
  media_id: string
  file_size: number
  sha256: string
  /** Encoding that the upload names; null without one. */
  charset: string | null
}

export type ImportSource = {
  origin: ImportOrigin
  /** The address, or the name of the file. */
  source: string
  /** The uploaded file. */
  file?: UploadedFile
}

/** Days that an uploaded file is kept while it waits for its conversion. */
const WAITING_DAYS = 30
const MAX_NAME_LENGTH = 255
/** Seconds after which a client may come again. */
const WAIT_S = 10

export function wantImport(reads: Reads, source: ImportSource, { parent_id = null }: ImportFields): void {
  wantParent(reads, parent_id)
  reads.of(importReads).source_hashes.add(hashOf(source))
}

/**
 * Imports into the document of the same folder that came from the same source, else into a new one. Returns its record.
 * @throws {Refusal} codes of `mustTakeNew`
 * @throws {Unavailable} when too many imports of the project wait
 */
export function beginImport(turn: ProjectTurn, source: ImportSource, fields: ImportFields): KnowledgeNodeRecord {
  const known = knownImport(turn, source, fields.parent_id ?? null)
  if (!known) mustTakeNew(turn, fields.parent_id ?? null, 'document')
  if (!known || !isUnfinished(known)) takeTurn(turn)
  const node = known ? documentOf(turn, known.node_id)! : addDocument(turn, source, fields)
  if (known) importAgain(turn, known, node, source, fields)
  else addImport(turn, node, source, fields)
  turn.awake(true)
  turn.soon(0, { type: 'run_imports' })
  return toKnowledgeNodeRecord(node)
}

/** Counts one more unfinished import. */
function takeTurn(turn: ProjectTurn): void {
  const records = turn.records.of(importReads)
  if (records.unfinished >= MAX_UNFINISHED) {
    throw new Unavailable(`The project has ${MAX_UNFINISHED} imports that wait; go on when some have ended.`, WAIT_S)
  }
  records.unfinished++
}

function knownImport(turn: ProjectTurn, source: ImportSource, parent_id: string | null): KnowledgeImport | undefined {
  const hash = hashOf(source)
  for (const row of turn.records.of(importReads).by_node.values()) {
    if (row.source_hash !== hash) continue
    const node = documentOf(turn, row.node_id)
    if (node && (node.parent_id ?? null) === parent_id) return row
  }
  return undefined
}

function addDocument(turn: ProjectTurn, source: ImportSource, fields: ImportFields): KnowledgeNode {
  const { parent_id = null, language = null } = fields
  const node = addNode(turn, {
    type: 'document',
    name: fields.name ?? nameOf(source),
    parent_id,
    content: null,
    source_url: source.origin === 'url' ? source.source : null,
    language,
  }) as KnowledgeNode
  turn.records.of(knowledgeReads).by_id.set(node._id, node)
  return node
}

function addImport(turn: ProjectTurn, node: KnowledgeNode, source: ImportSource, { name }: ImportFields): void {
  const { company_id, project_id } = turn.state
  const row = blank(KnowledgeImport, {
    node_id: node._id,
    company_id,
    project_id,
    origin: source.origin,
    source: source.source,
    source_hash: hashOf(source),
    warnings: [],
    named: name === undefined ? node.name : null,
    created_at: turn.now,
    updated_at: turn.now,
    ...begun(turn, source, node),
  })
  turn.insert(KnowledgeImport, row)
  turn.records.of(importReads).by_node.set(node._id, row)
  keepFile(turn, row.media_id, WAITING_DAYS)
}

/** The columns of an import that is to be done. */
function begun(turn: ProjectTurn, { file }: ImportSource, node: KnowledgeNode) {
  return {
    import_id: objectId(),
    replaces: textHashOf(node),
    media_id: file?.media_id ?? null,
    file_size: file?.file_size ?? null,
    sha256: file?.sha256 ?? null,
    charset: file?.charset ?? null,
    status: 'waiting' as const,
    attempts: 0,
    due_at: turn.now,
    error_code: null,
    error_message: null,
  }
}

function importAgain(
  turn: ProjectTurn,
  row: KnowledgeImport,
  node: KnowledgeNode,
  source: ImportSource,
  { name, language }: ImportFields,
): void {
  const renamed = name !== undefined && name !== node.name
  const other_language = language !== undefined && language !== null && language !== node.language
  if (renamed || other_language) {
    const language_fields = other_language && { language, language_is_given: true }
    changeDocument(turn, node, { ...(renamed && { name }), ...language_fields, revision: node.revision + 1 })
  }
  const is_same = source.file !== undefined && row.status === 'done' && row.sha256 === source.file.sha256
  // The upload of the same bytes expires unused.
  if (is_same) return
  keepFile(turn, row.media_id, 0)
  const { sha256, file_size, ...fresh } = begun(turn, source, node)
  changeImport(turn, row, {
    ...fresh,
    // An address is compared with what it gave last.
    ...(source.file && { sha256, file_size }),
    ...(name !== undefined && { named: null }),
  })
  keepFile(turn, row.media_id, WAITING_DAYS)
  changeDocument(turn, node, { index_status: 'pending', index_error: null })
}

function hashOf({ origin, source }: ImportSource): string {
  return createHash('sha256').update(`${origin} ${source}`).digest('hex')
}

/** The name of the file without its ending, or the end of the address. */
function nameOf({ origin, source }: ImportSource): string {
  const url = origin === 'url' ? parseUrl(source) : null
  const last = url ? (url.pathname.split('/').findLast((part) => part !== '') ?? url.hostname) : source
  const plain = plainName(decoded(last), ' ')
  const dot = plain.lastIndexOf('.')
  const name = (dot > 0 && plain.length - dot <= MAX_ENDING ? plain.slice(0, dot) : plain).trim()
  return [...(name || url?.hostname || 'document')].slice(0, MAX_NAME_LENGTH).join('')
}

/** Characters of a dot and an ending. */
const MAX_ENDING = 9

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
