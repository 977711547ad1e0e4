/** Fields of records that make the service call an address of the client. */
import * as v from 'valibot'
import { across, dictionary, fieldsOf, headerViolations, maxCharacters, parseUrl } from '../../actors/mod.ts'

/**
 * True when requests may go to this URL, judged without DNS: no private address, and plain HTTP only where the
 * operator allows it (loopback in development).
 */
export type AllowUrl = (url: string) => boolean

/** Headers that are sent with each request. */
export const headers = v.pipe(
  dictionary(v.string()),
  across((value, say) => {
    const texts = Object.entries(fieldsOf(value)).filter(
      (pair): pair is [string, string] => typeof pair[1] === 'string',
    )
    const headers = Object.fromEntries(texts)
    for (const { name, message } of headerViolations(headers)) say(message, Object.hasOwn(headers, name) ? [name] : [])
  }),
)

/** The address of the requests. */
export function url(allow_url: AllowUrl) {
  return v.pipe(
    v.string(),
    maxCharacters(2048),
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed) return
      const wrong = urlProblem(dataset.value, allow_url)
      if (wrong) addIssue({ message: wrong })
    }),
  )
}

function urlProblem(text: string, allow_url: AllowUrl): string | undefined {
  // The URL parser corrects these silently, and the stored URL would then differ from the called one.
  if (/[\s\\]|\p{Cc}/u.test(text)) return 'must not contain spaces, line breaks or backslashes'
  const parsed = parseUrl(text)
  if (!parsed || /^https?:(?!\/\/[^/])/i.test(text)) return 'must be an absolute URL such as https://example.com/hooks'
  const is_https = parsed.protocol === 'https:'
  if (!is_https && parsed.protocol !== 'http:') return HTTPS_RULE
  if (parsed.username || parsed.password) return 'must not contain a user name or password; use headers'
  if (text.includes('#')) return 'must not contain a fragment (#…), which is never sent'
  if (allow_url(text)) return undefined
  return is_https ? PUBLIC_RULE : `${HTTPS_RULE}, or lead to a literal address in PARLEY_ALLOW_NETWORKS`
}

const HTTPS_RULE = 'must be an https:// address'
const PUBLIC_RULE = 'must lead to an address on the public Internet, or in PARLEY_ALLOW_NETWORKS'
