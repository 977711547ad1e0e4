/** Addresses of what people share of the platform: some are files, which are fetched, some are pages, which stay links. */
import { parseUrl } from '../../outbound/mod.ts'
import type { Json } from '../json.ts'

/** Types whose address Meta gives as a file; reels have their page instead, at times. */
const FILES = new Set(['reel', 'ig_reel', 'ig_post', 'ig_story', 'story', 'story_mention', 'story_share'])

/** Types with an address of anything: of a file at Meta's own network alone. */
const LINKS = new Set(['share', 'post', 'media_share'])

/** Meta's networks of files, and the sites that have its pages. */
const NETWORKS = /(?:^|\.)(?:fbcdn\.net|fbsbx\.com|cdninstagram\.com)$/
const SITES = /(?:^|\.)(?:instagram\.com|instagr\.am|facebook\.com|fb\.com|fb\.watch|fb\.me|threads\.(?:com|net))$/

/**
 * Facts by which the file behind what a person shared is found; undefined when the address is that of a page.
 *
 * @param type of the attachment; `story` for one that is answered
 */
export function sharedFile(type: string | null, link: string | null): Json | undefined {
  if (type === null || link === null) return undefined
  const host = parseUrl(link)?.hostname
  if (host === undefined) return undefined
  const is_file = FILES.has(type) ? !SITES.test(host) : LINKS.has(type) && NETWORKS.test(host)
  return is_file ? { url: link, is_shared: true } : undefined
}
