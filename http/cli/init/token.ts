/** The token of `parley init`, and the one of its live check. */

import type { Api } from '../connection/api.ts'
import type { Token } from '../records/generated.ts'
import type { Dialogue } from './dialogue.ts'
import { done } from './steps.ts'

/** A token that cannot be shown again has no `token`. */
export type SetupToken = { token_id: string; token: string | null }

const NAME = 'parley init'
/** Minutes beyond the wait for a message, for the answer to it. */
const MORE_MINUTES = 5

/**
 * A token with every scope. A former run may have made one, which programs use: it stays, unless another is wanted in
 * its place.
 */
export async function giveToken(
  api: Api,
  dialogue: Dialogue,
  { project_id, user_id, is_new }: { project_id: string; user_id: string; is_new: boolean },
): Promise<SetupToken> {
  const tokens: Token[] = await api.all('/admin/v1/tokens', { project_id })
  const former = tokens.filter(({ name, status }) => name === NAME && status === 'active')
  const [kept] = former
  if (kept) {
    const about = `the token “${NAME}” (${kept.prefix}…, of ${kept.created_at.slice(0, 10)})`
    const question = `The project has ${about}, which is shown once. Replace it? Programs that use it are refused then.`
    const is_replaced = is_new || (dialogue.is_possible && (await dialogue.agrees(question, false)))
    if (!is_replaced) {
      done(`It stays as it is: ${about}.`)
      return { token_id: kept._id, token: null }
    }
  }
  const { scopes } = await import('../../../actors/mod.ts')
  const body = { project_id, user_id, name: NAME, scopes }
  const made = await api.call<NewToken>('POST', '/admin/v1/tokens', body)
  for (const { _id } of former) await api.call('DELETE', `/admin/v1/tokens/${_id}`)
  done(`It has every scope, and is shown at the end.${former.length > 0 ? ' The former one is revoked.' : ''}`)
  return { token_id: made._id, token: made.token }
}

type NewToken = { _id: string; token: string }

/** A token that reads and sends messages during the live check, of the user whose token stays. It ends by itself. */
export async function checkToken(api: Api, project_id: string, token_id: string, minutes: number): Promise<string> {
  const { user_id } = await api.call<{ user_id: string }>('GET', `/admin/v1/tokens/${token_id}`)
  const { token } = await api.call<NewToken>('POST', '/admin/v1/tokens', {
    project_id,
    user_id,
    name: `${NAME}, live check`,
    scopes: ['messages:read', 'messages:write'],
    expires_at: new Date(Date.now() + (minutes + MORE_MINUTES) * 60_000).toISOString(),
  })
  return token
}
