/**
 * Compares what `fetch` gets from the nodes of tests with the description of the API (`drift.ts`). The command line and
 * the client package call with it. Drift cannot be an error of the call here, because they would explain or repeat it;
 * it fails the file instead.
 */
import type { Seen } from './drift.ts'

const origins = new Set<string>()
const under_way = new Set<Promise<void>>()
const drifts: string[] = []

/** Compares answers of this node from now on. */
export function watchNode(base_url: string): void {
  origins.add(new URL(base_url).origin)
}

/** Replaces `fetch` in this process. */
export function watchFetch(): void {
  const { fetch } = globalThis
  globalThis.fetch = async (input, init) => {
    const response = await fetch(input, init)
    const url = input instanceof Request ? input.url : String(input)
    if (origins.has(new URL(url).origin)) {
      const is_json = response.headers.get('content-type')?.startsWith('application/json')
      const compared = compare(url, init, response, is_json ? response.clone() : undefined)
      under_way.add(compared)
      compared.finally(() => under_way.delete(compared))
    }
    return response
  }
}

/** Answers since the last call that were not as described. */
export async function takeDrifts(): Promise<string[]> {
  await Promise.all(under_way)
  return drifts.splice(0)
}

async function compare(url: string, init: RequestInit = {}, response: Response, copy?: Response): Promise<void> {
  // Breaks off when the caller aborts.
  const text = await copy?.text().catch(() => '')
  const { refuseDrift } = await import('./drift.ts')
  const is_json = new Headers(init.headers).get('content-type')?.startsWith('application/json')
  const seen: Seen = {
    method: init.method ?? 'GET',
    url,
    json: is_json && typeof init.body === 'string' ? parsed(init.body) : undefined,
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: text ? JSON.parse(text) : undefined,
  }
  try {
    refuseDrift(seen)
  } catch (error) {
    drifts.push((error as Error).message)
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
