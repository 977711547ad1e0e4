import { hashOf, newSecret } from '../../http/server/auth/cookie.ts'
import { beginSession, User } from '../../storage/mod.ts'
import type { ServerContext } from './test_server.ts'

/** Makes the tenant's user an agent, and returns the cookie of a session. */
export async function signedIn({
  database,
  tenant: { user },
}: Pick<ServerContext, 'database' | 'tenant'>): Promise<string> {
  const password_hash = 'scrypt:…'
  await database.em().nativeUpdate(User, user._id, { password_hash, permissions: ['console.agent'] })
  const secret = newSecret()
  await beginSession(database, { hash: hashOf(secret), user_id: user._id, password_hash })
  return `parley_session=${secret}`
}
