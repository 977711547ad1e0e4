import { oneLine, replacement, type TokenSubject, tokenLines } from './token_subject.ts'

const DAY_MS = 86_400_000

/** The mail to the owner of a token that expires soon. Subject and plain text. */
export function tokenExpiringMail(token: TokenSubject, expires_at: Date, now: Date): { subject: string; text: string } {
  const name = oneLine(token.name)
  const days = Math.ceil((expires_at.getTime() - now.getTime()) / DAY_MS)
  const left = days > 1 ? `in ${days} days` : 'within a day'
  const text = `The access token "${name}" expires ${left}.

${tokenLines(token)}
  Expires:   ${expires_at.toISOString()}

From then on requests with this token are refused.

1. Create another token:
   ${replacement(token)}

2. Give it to the programs that use the old one, then revoke that one:
   parley token revoke ${token.id}

A token that is no longer used needs nothing: it ends by itself.
`
  return { subject: `Access token "${name}" expires ${left}`, text }
}
