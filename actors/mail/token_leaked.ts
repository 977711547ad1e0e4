import { oneLine, replacement, type TokenSubject, tokenLines } from './token_subject.ts'

/** A place where a token was found in public. */
export type LeakPlace = {
  /** Empty when the reporter does not say. */
  url: string
  /** Kind of the place, such as `commit`. */
  source: string
}

/** The mail to the owner of a token that was found in public. Subject and plain text. */
export function tokenLeakedMail(
  token: TokenSubject,
  places: readonly LeakPlace[],
  /** Number of places, of which `places` may be the first. */
  found: number,
  now: Date,
): { subject: string; text: string } {
  const name = oneLine(token.name)
  const lines = places.map(({ url, source }) => `    ${oneLine(url) || 'unknown address'} (${oneLine(source)})`)
  if (found > places.length) lines.push(`    and ${found - places.length} more`)
  const text = `The access token "${name}" was found in public and revoked.

${tokenLines(token)}
  Revoked:   ${now.toISOString()}
  Found by GitHub's secret scanning at:
${lines.join('\n')}

Requests with this token are refused from now on.

1. Create another token, and keep it out of the code:
   ${replacement(token)}

2. Give it to the programs that used the old one.

3. Check the project for messages and changes that are not yours.
`
  return { subject: `Access token "${name}" was found in public and revoked`, text }
}
