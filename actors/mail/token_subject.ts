/** Description of an access token in mails about it. */
export type TokenSubject = {
  id: string
  name: string
  /** The first characters of its secret. */
  prefix: string
  project_id: string
  user_id: string
  scopes: readonly string[]
  last_used_at: Date | null
}

/** A text for the subject or a line of a mail. */
export function oneLine(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, ' ')
}

export function tokenLines({ id, prefix, project_id, last_used_at }: TokenSubject): string {
  return `  Token:     ${prefix}… (${id})
  Project:   ${project_id}
  Last used: ${last_used_at?.toISOString() ?? 'never'}`
}

/** The command that makes a token with the same rights. */
export function replacement({ name, project_id, user_id, scopes }: TokenSubject): string {
  const quoted = `'${oneLine(name).replaceAll("'", "'\\''")}'`
  return `parley token create --project ${project_id} --user ${user_id} \\
     --name ${quoted} --scopes ${scopes.join(',')}`
}
