import type { Dispatcher } from 'undici'
import { objectId } from '../../storage/mod.ts'
import { storable } from '../values/storable.ts'
import type { ModelCall } from './call.ts'
import { secretsOf, type TranscriptionEntry } from './entry.ts'
import { failure, failureInBody, failureOf } from './failures.ts'
import type { ModelFailure, ModelRecording, ModelTranscript } from './model.ts'

/** Bytes of an answer: a recording of 25 MiB has some hours of speech. */
const MAX_ANSWER = 4 * 1024 * 1024

/** Asks an OpenAI-compatible `/audio/transcriptions` for the text of a recording. */
export async function transcribe(
  dispatcher: Dispatcher,
  entry: TranscriptionEntry,
  recording: ModelRecording,
  call: ModelCall,
): Promise<ModelTranscript | ModelFailure> {
  const { url, key, model } = entry
  const secrets = secretsOf(entry)
  const boundary = `parley-${objectId()}${objectId()}`
  const exchange = await call.post(dispatcher, {
    url: `${url}/audio/transcriptions`,
    headers: {
      accept: 'application/json',
      'user-agent': 'Parley',
      'content-type': `multipart/form-data; boundary=${boundary}`,
      ...(key !== null && { authorization: `Bearer ${key}` }),
    },
    body: formOf(recording, model, boundary),
    read_limit: MAX_ANSWER,
  })
  const { status, is_complete, body } = exchange
  if (status !== 200 || !is_complete) return failureOf(call, secrets)
  const told = transcriptIn(body)
  if (!told) return failureInBody(exchange, secrets) ?? failureOf(call, secrets)
  if (told.text.trim() === '') {
    return failure('empty', 'The recording has no speech that was understood.', { status, was_sent: true })
  }
  return told
}

function formOf({ data, media_type, name }: ModelRecording, model: string, boundary: string): Buffer {
  const field = (key: string, value: string) =>
    `--${boundary}\r\ncontent-disposition: form-data; name="${key}"\r\n\r\n${value}\r\n`
  const file_name = name.replace(/["\\\p{Cc}]/gu, '_').slice(-200) || 'recording'
  return Buffer.concat([
    Buffer.from(
      `${field('model', model)}${field('response_format', 'json')}--${boundary}\r\n` +
        `content-disposition: form-data; name="file"; filename="${file_name}"\r\ncontent-type: ${media_type}\r\n\r\n`,
    ),
    data,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ])
}

function transcriptIn(body: Buffer): ModelTranscript | undefined {
  try {
    const { text, duration } = JSON.parse(body.toString())
    if (typeof text !== 'string') return undefined
    return {
      kind: 'transcript',
      text: storable(text),
      duration_s: typeof duration === 'number' && duration >= 0 ? duration : null,
    }
  } catch {
    return undefined
  }
}
