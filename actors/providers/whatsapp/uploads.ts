/**
 * Meta's resumable upload: a file that a later call of the Graph API names by a handle, such as the example of a template's
 * header. A session belongs to the app of the token. An upload that was cut off leaves nothing.
 */
import type { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { UNREADABLE } from '../answer.ts'
import { textOf } from '../json.ts'
import type { WhatsAppCredentials } from './graph.ts'
import { callByDeadline, type Failed } from './operation.ts'

/** A file to upload. `open` is called once, when its turn has come. */
export type FileToUpload = {
  filename: string
  mime_type: string
  /** Bytes. */
  file_size: number
  open(): Promise<Readable>
}

const APP_ID = /^\d{1,32}$/
const SESSION_ID = /^upload:[\x21-\x7e]{1,2000}$/

/**
 * Uploads the files one after another and returns their handles in this order. Ends by `deadline`, tries nothing again, and
 * rejects only as `open` does.
 */
export async function uploadFiles(
  dispatcher: Dispatcher,
  credentials: WhatsAppCredentials,
  files: readonly FileToUpload[],
  deadline: number,
): Promise<{ handles: string[] } | Failed> {
  const handles: string[] = []
  if (files.length === 0) return { handles }
  const app = await callByDeadline(dispatcher, credentials, 'GET', 'app?fields=id', deadline)
  if ('failure' in app) return withoutEffect(app)
  const app_id = textOf(app.body.id)
  if (app_id === null || !APP_ID.test(app_id)) return withoutEffect({ failure: UNREADABLE })
  for (const file of files) {
    const uploaded = await uploadFile(dispatcher, credentials, app_id, file, deadline)
    if ('failure' in uploaded) return withoutEffect(uploaded)
    handles.push(uploaded.handle)
  }
  return { handles }
}

async function uploadFile(
  dispatcher: Dispatcher,
  credentials: WhatsAppCredentials,
  app_id: string,
  { filename, mime_type, file_size, open }: FileToUpload,
  deadline: number,
): Promise<{ handle: string } | Failed> {
  const facts = new URLSearchParams({
    file_name: filename,
    file_length: String(file_size),
    file_type: mime_type,
  })
  const begun = await callByDeadline(dispatcher, credentials, 'POST', `${app_id}/uploads?${facts}`, deadline)
  if ('failure' in begun) return begun
  const session_id = textOf(begun.body.id)
  if (session_id === null || !SESSION_ID.test(session_id)) return { failure: UNREADABLE }
  const body = await open()
  const sent = await callByDeadline(dispatcher, credentials, 'POST', session_id, deadline, {
    stream: { body, content_type: mime_type, length: file_size },
    // Sessions take no bearer.
    headers: { authorization: `OAuth ${credentials.access_token}`, file_offset: '0' },
  })
  body.on('error', () => {}).destroy()
  if ('failure' in sent) return sent
  const handle = textOf(sent.body.h)
  return handle ? { handle } : { failure: UNREADABLE }
}

function withoutEffect({ failure }: Failed): Failed {
  return { failure: { ...failure, maybe_accepted: false } }
}
