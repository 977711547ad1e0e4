/** Hides secrets in logs and other texts for people: fields by their names, and parts of texts by their form. */

/** Stands for a secret. */
export const HIDDEN = '[redacted]'

/** Name endings of such fields: `access_token`, `appSecret`, `x-api-key`. */
const NAMES =
  /(authorization|cookie|token|jwt|secret|password|passwd|pwd|passphrase|passcode|credential|signature|(api|access|auth|private|secret|operator)[_-]?key)s?$/i

/** The first group of a match is kept. */
const FORMS = [
  /(svc_[op]k_|whsec_|Bearer )[A-Za-z0-9+/=_.-]+/g,
  // Telegram puts the token of a bot into the path.
  /(\/bot)\d+:[A-Za-z0-9_-]+/g,
  // User and password of a URL; the last @ ends them.
  /(:\/\/)[^\s/"]+(?=@)/g,
  // Parameters of its query and its fragment, such as `client_secret`, `apikey`, and `pwd` of a Zoom meeting.
  /([?&#;][\w.[\]%-]*(?:token|jwt|secret|password|passwd|pwd|passphrase|passcode|credential|signature|key)\]?=)[^\s&#"]+/gi,
  /([?&#;](?:sig|hmac|auth|authorization|pass|tk|code)=)[^\s&#"]+/gi,
  /([?&]x-amz-[a-z-]+=)[^\s&"]+/gi,
]

/** Deeper values are left out: none of our messages nests so far. */
const MAX_DEPTH = 200

export function hideSecretsInText(text: string): string {
  return FORMS.reduce((result, form) => result.replace(form, `$1${HIDDEN}`), text)
}

/** A copy of a JSON value without secrets. Empty fields are kept. */
export function hideSecrets(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return hideSecretsInText(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= MAX_DEPTH) return '[nested too deeply]'
  if (Array.isArray(value)) return value.map((item) => hideSecrets(item, depth + 1))
  return hideSecretsInFields(value, depth)
}

/** A copy of an object of JSON without secrets. */
export function hideSecretsInFields(value: object, depth = 0): Record<string, unknown> {
  const entries = Object.entries(value).map(([name, field]) => [
    name,
    NAMES.test(name) && field !== null && field !== '' ? HIDDEN : hideSecrets(field, depth + 1),
  ])
  return Object.fromEntries(entries)
}
