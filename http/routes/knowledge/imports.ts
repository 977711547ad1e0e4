/** Knowledge: documents from files and addresses. */
import * as v from 'valibot'
import {
  knowledgeImportRecord,
  knowledgeNodeRecord,
  MAX_DOCUMENT,
  maxCharacters,
  parseUrl,
  plainIdPattern,
  recordId,
  toKnowledgeImportRecord,
} from '../../../actors/mod.ts'
import { Refusal } from '../../../runtime/mod.ts'
import { findKnowledgeImport, knowledgeLanguages, listKnowledgeImports } from '../../../storage/mod.ts'
import { readUploadForm } from '../../media/upload_form.ts'
import { check } from '../../server/parse/validation.ts'
import type { IncomingForm, ReceivedForm, Route } from '../../server/route/route.ts'
import { route } from '../../server/route/typed_route.ts'
import { flagQuery, limit, pageOf, recordCursor } from '../../server/schema/fields.ts'
import type { AllowUrl } from '../outbound_fields.ts'
import { newKnowledgeNode, versionOfNode } from './fields.ts'
import { type DocumentStores, type DocumentUpload, storeDocument } from './import_work.ts'

export type ImportHooks = DocumentStores & {
  allow_url: AllowUrl
  /** Directory for uploads under way. */
  uploads_directory: string
}

/** The file, the text fields, and the boundaries between them. */
const BODY_LIMIT = MAX_DOCUMENT + 1024 * 1024

const { name, parent_id, language } = newKnowledgeNode

const newName = v.optional(v.pipe(name, v.description("The default is the document's own title")))

const uploadFields = v.strictObject({
  parent_id: v.optional(v.pipe(recordId, v.description('A folder; the top by default'))),
  name: newName,
  language: v.optional(v.picklist(knowledgeLanguages, 'must be the ISO 639-1 code of a supported language')),
})

const reads = { auth: 'token', scope: 'knowledge:read' } as const
const writes = { auth: 'token', scope: 'knowledge:write' } as const
/** A document fits below every folder, however deep. */
const newErrors = [
  'KNOWLEDGE_PARENT_NOT_FOUND',
  'KNOWLEDGE_PARENT_NOT_FOLDER',
  'KNOWLEDGE_FOLDER_FULL',
  'KNOWLEDGE_TREE_FULL',
] as const

export function knowledgeImportRoutes(hooks: ImportHooks): Route[] {
  return [
    route({
      ...writes,
      method: 'POST',
      path: '/v1/knowledge/nodes/import',
      operation: 'import_knowledge_file',
      example: { body: { name: 'Shipping', language: 'en' } },
      audited: true,
      summary:
        'Upload a document (multipart/form-data: file, parent_id?, name?, language?): Markdown, plain text, HTML or PDF; a file of the same name replaces the text of its document',
      body_limit: BODY_LIMIT,
      status: 202,
      response: knowledgeNodeRecord,
      versioned: versionOfNode,
      errors: [...newErrors, 'MEDIA_LIMIT_REACHED'],
      form_fields: uploadFields,
      form: (incoming) => receive(hooks, incoming),
      act: ({ body }, context) => storeDocument(hooks, context, body),
    }),
    route({
      ...writes,
      method: 'POST',
      path: '/v1/knowledge/nodes/import-url',
      operation: 'import_knowledge_url',
      example: { body: { source_url: 'https://www.example.com/help/shipping', name: 'Shipping' } },
      audited: true,
      summary: 'Import the document behind an address; the same address in the same folder replaces the text',
      body: v.strictObject({ source_url: address(hooks.allow_url), parent_id, name: newName, language }),
      status: 202,
      response: knowledgeNodeRecord,
      versioned: versionOfNode,
      errors: [...newErrors],
      command: ({ body }) => ({ type: 'import_knowledge_url', ...body }),
    }),
    route({
      ...writes,
      method: 'POST',
      path: '/v1/knowledge/nodes/:id/import',
      operation: 'repeat_knowledge_import',
      audited: true,
      summary: 'Fetch the address of a document again, or try a failed import again',
      params: { id: plainIdPattern },
      status: 202,
      response: knowledgeNodeRecord,
      versioned: versionOfNode,
      errors: ['NOT_FOUND', 'KNOWLEDGE_NOT_IMPORTED', 'KNOWLEDGE_FILE_GONE'],
      command: ({ params }) => ({ type: 'repeat_knowledge_import', id: params.id }),
    }),
    route({
      ...reads,
      method: 'GET',
      path: '/v1/knowledge/nodes/:id/import',
      operation: 'get_knowledge_import',
      summary: 'Get the import of a document: its source, its progress and the reason of a failure',
      params: { id: plainIdPattern },
      status: 200,
      response: knowledgeImportRecord,
      errors: ['NOT_FOUND'],
      async read({ params }, { database, project_id }) {
        const found = await findKnowledgeImport(database, project_id, params.id)
        if (!found) throw new Refusal('NOT_FOUND')
        return toKnowledgeImportRecord(found)
      },
    }),
    route({
      ...reads,
      method: 'GET',
      path: '/v1/knowledge/imports',
      operation: 'list_knowledge_imports',
      summary: 'List the imports of documents, the latest documents first',
      query: v.strictObject({
        status: v.optional(v.picklist(['waiting', 'running', 'done', 'failed'])),
        is_finished: v.optional(v.pipe(flagQuery, v.description('true: done and failed ones; false: the others'))),
        parent_id: v.optional(recordId),
        limit,
        cursor: recordCursor,
      }),
      status: 200,
      response: pageOf(knowledgeImportRecord),
      async read({ query: { limit, cursor, ...filter } }, { database, project_id }) {
        const page = await listKnowledgeImports(database, project_id, filter, { limit, cursor })
        return { ...page, data: page.data.map(toKnowledgeImportRecord) }
      },
    }),
  ]
}

async function receive(
  { uploads_directory }: ImportHooks,
  incoming: IncomingForm,
): Promise<ReceivedForm<DocumentUpload>> {
  const names = Object.keys(uploadFields.entries)
  const form = await readUploadForm(incoming, {
    directory: uploads_directory,
    fields: names,
    file_limit: MAX_DOCUMENT,
  })
  const checked = check(uploadFields, form.fields)
  if ('violations' in form) {
    return { violations: [...form.violations, ...('violations' in checked ? checked.violations : [])] }
  }
  if ('violations' in checked) {
    await form.discard()
    return checked
  }
  const { file, discard } = form
  const identity = JSON.stringify([checked.value, file.sha256, file.filename])
  return { value: { ...(checked.value as object), file }, identity, discard }
}

/** The address of a document. Its fragment is left out: it is never sent, and names no other document. */
function address(allow_url: AllowUrl) {
  return v.pipe(
    v.string(),
    maxCharacters(2048),
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed) return
      const wrong = addressProblem(dataset.value, allow_url)
      if (wrong) addIssue({ message: wrong })
    }),
    v.transform((url) => url.split('#', 1)[0]!),
    v.description('An https:// address on the public Internet'),
  )
}

function addressProblem(text: string, allow_url: AllowUrl): string | undefined {
  // The URL parser corrects these silently, and the stored address would then differ from the fetched one.
  if (/[\s\\]|\p{Cc}/u.test(text)) return 'must not contain spaces, line breaks or backslashes'
  const parsed = parseUrl(text)
  if (!parsed || !/^https?:\/\/[^/]/i.test(text)) return 'must be a URL such as https://example.com/returns'
  if (parsed.username || parsed.password) return 'must not contain a user name or password'
  return allow_url(text) ? undefined : 'must be an https:// address on the public Internet'
}
