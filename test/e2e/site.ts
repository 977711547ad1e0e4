/** A web site with documents to import. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Owner } from '../support/mod.ts'

export type Page = string | Buffer | ((request: IncomingMessage, response: ServerResponse) => void)

export type Site = {
  url(path: string): string
  /** Sets what the path gives from now on. */
  set(path: string, page: Page): void
  /** Paths that were asked for, in order. */
  readonly asked: string[]
}

export async function startSite(t: Owner): Promise<Site> {
  const pages = new Map<string, Page>()
  const asked: string[] = []
  const server = createServer((request, response) => {
    const path = request.url!
    asked.push(path)
    const page = pages.get(path)
    if (page === undefined) response.writeHead(404).end()
    else if (typeof page === 'function') page(request, response)
    else response.end(page)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  })
  const { port } = server.address() as AddressInfo
  return { url: (path) => `http://127.0.0.1:${port}${path}`, set: (path, page) => pages.set(path, page), asked }
}
