import * as uWS from 'uWebSockets.js'
import { type Answer, ok, type SimulatorRequest } from '../answer.ts'
import { invalid, ModelError, refusal } from './errors.ts'
import type { Reply } from './reply.ts'

export type Recording = { model: string; name: string; type: string; size: number; text: string | null }

const FIELDS = ['file', 'model', 'language', 'prompt', 'response_format', 'temperature', 'timestamp_granularities[]']
/** Endings that the service takes. */
const ENDINGS = ['flac', 'm4a', 'mp3', 'mp4', 'mpeg', 'mpga', 'oga', 'ogg', 'wav', 'webm']
const MAX_FILE = 25 * 1024 * 1024
/** Bytes within a file that are its transcript, up to the end of their line. */
const SAYS = 'SAYS: '

/** Parses the form of POST /audio/transcriptions, as strictly as OpenAI. Throws ModelError. */
export function readRecording({ body, content_type }: SimulatorRequest): Recording {
  if (!content_type.startsWith('multipart/form-data'))
    throw new ModelError(400, 'The body must be multipart/form-data.')
  const parts = uWS.getParts(body, content_type) ?? []
  const strange = parts.find(({ name }) => !FIELDS.includes(name))
  if (strange) throw new ModelError(400, `Unrecognized request argument supplied: ${strange.name}`)
  const textOf = (name: string) => {
    const part = parts.find((one) => one.name === name)
    return part && Buffer.from(part.data).toString()
  }
  const model = textOf('model')
  if (!model) throw new ModelError(400, 'you must provide a model parameter')
  const file = parts.find(({ name }) => name === 'file')
  if (!file?.filename) throw invalid('file', "Missing required parameter: 'file'.")
  const format = textOf('response_format') ?? 'json'
  if (format !== 'json' && format !== 'verbose_json')
    throw invalid('response_format', 'The simulated model answers with json and verbose_json.')
  const data = Buffer.from(file.data)
  if (data.length > MAX_FILE) throw new ModelError(413, 'Maximum content size limit (26214400) exceeded.')
  const ending = file.filename.split('.').at(-1)?.toLowerCase() ?? ''
  if (!ENDINGS.includes(ending) || data.length === 0)
    throw invalid('file', `Invalid file format. Supported formats: ${ENDINGS.join(', ')}`)
  return { model, name: file.filename, type: file.type ?? '', size: data.length, text: spoken(data) }
}

export function transcriptOf({ name, text }: Recording, reply: Reply | undefined): Answer {
  const { fault, delay_ms = 0 } = reply ?? {}
  const latency = delay_ms > 0 ? { latency_ms: delay_ms } : {}
  if (fault?.kind === 'status') return { ...refusal(fault.status, fault.retry_after).toAnswer(), ...latency }
  if (fault?.kind === 'hang') return { status: 0, fate: 'hang' }
  if (fault?.kind === 'cut') return { status: 0, fate: 'reset', ...latency }
  if (fault?.kind === 'broken')
    return { status: 200, content_type: 'application/json', body: Buffer.from('{"text":'), ...latency }
  const said = fault?.kind === 'empty' ? '' : (reply?.text ?? text ?? `A simulated transcript of ${name}.`)
  return { ...ok({ text: said, usage: { type: 'duration', seconds: 3 } }), ...latency }
}

function spoken(data: Buffer): string | null {
  const at = data.indexOf(SAYS)
  if (at < 0) return null
  const text = data.subarray(at + SAYS.length, at + SAYS.length + 4000).toString()
  return text.split('\n')[0]!.trim()
}
