/**
 * Reads what a visitor's page says about its browser. Anyone may write such a page, and agents see it: values of another
 * form are left out. Lengths are checked first, and no URL is parsed.
 */
import type { VisitorBrowser } from '../../../storage/mod.ts'
import { storable } from '../../values/storable.ts'
import { isObject } from '../json.ts'

/** Characters. Pages cut longer addresses. */
const MAX_URL_LENGTH = 2048
const MAX_USER_AGENT_LENGTH = 512
const LANGUAGE = /^[A-Za-z0-9-]{2,35}$/

/** `user_agent`: the header of the request. Undefined when nothing is known. */
export function readVisitorBrowser(value: unknown, user_agent: string | undefined): VisitorBrowser | undefined {
  const { page_url, referrer, language } = isObject(value) ? value : {}
  const browser = {
    page_url: webAddress(page_url),
    referrer: webAddress(referrer),
    language: typeof language === 'string' && LANGUAGE.test(language) ? language : null,
    user_agent: user_agent ? storable(user_agent.slice(0, MAX_USER_AGENT_LENGTH)) : null,
  }
  return Object.values(browser).some((one) => one !== null) ? browser : undefined
}

function webAddress(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > MAX_URL_LENGTH) return null
  return /^https?:\/\/[^/]/i.test(value) ? storable(value) : null
}
