/** Many pages of agents in one process, spread over the nodes of a cluster. */
import { PageSocket, type Place } from './page_socket.ts'

export type PagesConfig = { ports: number[]; project_id: string; cookies: string[]; pages: number }

/** `place`: a page changes its node with each turn. */
export type Page = { socket: PageSocket; place(turn: number): Place }

/** Connections that are opened at a time while nothing is measured. */
const AT_ONCE = 100

export function makePages({ ports, project_id, cookies, pages }: PagesConfig): Page[] {
  return Array.from({ length: pages }, (_, n) => {
    const cookie = cookies[n % cookies.length]!
    const place = (turn: number) => ({ port: ports[(n + turn) % ports.length]!, cookie, project_id })
    return { socket: new PageSocket(), place }
  })
}

/** Resolves when all watch the project. */
export async function connectPages(pages: Page[], turn: number): Promise<void> {
  for (let from = 0; from < pages.length; from += AT_ONCE)
    await Promise.all(pages.slice(from, from + AT_ONCE).map(({ socket, place }) => socket.watch(place(turn))))
}
