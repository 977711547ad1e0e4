import { oneLine } from './token_subject.ts'

/** The mail to a user who has no password yet. `url` is the link, which works once. Subject and plain text. */
export function userInvitedMail({
  full_name,
  company_name,
  url,
  expires_at,
}: {
  full_name: string
  company_name: string
  url: string
  expires_at: Date
}): { subject: string; text: string } {
  const company = oneLine(company_name)
  const text = `Hello ${oneLine(full_name)},

you are invited to work in the inbox of ${company}. Choose your password here:

  ${url}

The link works once, until ${expires_at.toISOString()}. Nobody needs your password: do not pass it on.

If you do not expect this, do nothing: without a password nobody signs in.
`
  return { subject: `You are invited to ${company} on Parley`, text }
}
