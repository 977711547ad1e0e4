import { createHash, randomBytes } from 'node:crypto'
import type { SimulatorRequest } from '../../answer.ts'
import { unknownObject } from '../numbers.ts'
import { GraphError } from '../requests/errors.ts'

const TYPES = ['application/pdf', 'image/jpeg', 'image/jpg', 'image/png', 'video/mp4']
const MIB = 1024 * 1024
const MAX_BYTES = 100 * MIB
/** Sessions and handles that are kept; the oldest are dropped. */
const MAX_KEPT = 1000

type Session = { token: string; type: string; length: number }
/** An uploaded file. Its bytes are not kept. */
export type UploadedExample = { token: string; type: string; length: number; sha256: string }

/** Files of Meta's resumable upload. */
export class Uploads {
  readonly #sessions = new Map<string, Session>()
  readonly #by_handle = new Map<string, UploadedExample>()

  /** Begins an upload and returns the id of its session. Throws GraphError. */
  begin(token: string, query: URLSearchParams): string {
    const type = query.get('file_type') ?? ''
    if (!TYPES.includes(type)) throw parameter('file_type', `must be one of ${TYPES.join(', ')}`)
    const length = Number(query.get('file_length'))
    if (!Number.isInteger(length) || length < 1 || length > MAX_BYTES) {
      throw parameter('file_length', `must be a number of bytes from 1 to ${MAX_BYTES}`)
    }
    const id = `upload:${randomBytes(24).toString('base64url')}`
    keep(this.#sessions, id, { token, type, length })
    return id
  }

  /** Takes the bytes of a session and returns the handle. Throws GraphError. */
  finish(id: string, { authorization, file_offset, body }: SimulatorRequest): string {
    const session = this.#sessions.get(id)
    if (!session || authorization !== `OAuth ${session.token}`) throw unknownObject(id, 'POST')
    if (file_offset !== '0') throw parameter('file_offset', 'must be 0')
    const { token, type, length } = session
    if (body.length !== length) throw parameter('file_length', `was ${length}, and ${body.length} bytes came`)
    this.#sessions.delete(id)
    const sha256 = createHash('sha256').update(body).digest('hex')
    const handle = `4::${Buffer.from(type).toString('base64')}:${randomBytes(24).toString('base64url')}`
    keep(this.#by_handle, handle, { token, type, length, sha256 })
    return handle
  }

  find(handle: unknown): UploadedExample | undefined {
    return this.#by_handle.get(String(handle))
  }

  all(): ({ handle: string } & Omit<UploadedExample, 'token'>)[] {
    return [...this.#by_handle].map(([handle, { type, length, sha256 }]) => ({ handle, type, length, sha256 }))
  }
}

function keep<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.set(key, value)
  if (map.size > MAX_KEPT) map.delete(map.keys().next().value!)
}

function parameter(name: string, problem: string): GraphError {
  return new GraphError(100, { message: `(#100) Param ${name} ${problem}.` })
}
