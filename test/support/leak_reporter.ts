/** GitHub's side of secret scanning: keys, and reports signed with them. */
import { generateKeyPairSync, sign } from 'node:crypto'

export type Reporter = {
  /** The key's file, as GitHub's API lists it. */
  listed: { key_identifier: string; key: string; is_current: boolean }
  /** Headers and body of a report. */
  report(matches: unknown): { raw: string; headers: Record<string, string> }
}

export function leakReporter(key_identifier: string, curve = 'prime256v1'): Reporter {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: curve })
  const key = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  return {
    listed: { key_identifier, key, is_current: true },
    report(matches) {
      const raw = typeof matches === 'string' ? matches : JSON.stringify(matches)
      const signature = sign('sha256', Buffer.from(raw), privateKey).toString('base64')
      const headers = { 'content-type': 'application/json', 'Github-Public-Key-Identifier': key_identifier }
      return { raw, headers: { ...headers, 'Github-Public-Key-Signature': signature } }
    },
  }
}

/** One match of a report. */
export const leaked = (token: string, url = 'https://github.com/acme/shop/blob/1234/.env', source = 'commit') => ({
  token,
  type: 'parley_access_token',
  url,
  source,
})
