import { randomBytes } from 'node:crypto'
import { type Answer, ok, type SimulatorRequest } from '../../answer.ts'
import type { Account } from '../account.ts'
import { unknownObject } from '../numbers.ts'
import { behave } from '../requests/behave.ts'

/** The app of every token. */
const APP_ID = '670843887433847'
const SIGNATURE = randomBytes(8).toString('hex')

/** `GET /app`, `POST /{app}/uploads` and `POST /{session}`; undefined for other paths. Throws GraphError. */
export function uploadRoute(
  { uploads, world }: Account,
  token: string,
  [id, edge]: [string, string],
  request: SimulatorRequest,
): Answer | undefined {
  const run = runOf()
  if (!run) return undefined
  const behaviour = world.faults.apply({ channel: 'whatsapp', operation: 'uploads', type: run.type })
  return behave(behaviour, world.settings.latency_ms, run.answer)

  function runOf(): { type: string; answer: () => Answer } | undefined {
    const { method, query } = request
    if (method === 'GET' && edge === '' && (id === 'app' || id === APP_ID)) {
      return { type: 'app', answer: () => ok({ id: APP_ID }) }
    }
    if (method !== 'POST') return undefined
    if (id === APP_ID && edge === 'uploads') {
      // Like Meta's, the id of a session has a query of its own.
      return { type: 'session', answer: () => ok({ id: `${uploads.begin(token, query)}?sig=${SIGNATURE}` }) }
    }
    if (!id.startsWith('upload:')) return undefined
    return {
      type: 'file',
      answer: () => {
        if (query.get('sig') !== SIGNATURE) throw unknownObject(id, method)
        return ok({ h: uploads.finish(id, request) })
      },
    }
  }
}
