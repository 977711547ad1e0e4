import * as v from 'valibot'
import { type ErrorCode, errorCatalogue } from '../../actors/error_catalogue.ts'
import { adminRoutes } from '../../http/admin/mod.ts'
import { check } from '../../http/validation.ts'
import { Refusal } from '../../runtime/mod.ts'
import type { Database } from '../../storage/mod.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers of every route
export type Answer = { status: number; body: any }
export type Asked = { address: string; message: Record<string, unknown> }

/** Calls operator routes the way the server does, with a runtime that only remembers what it was asked. */
export function operator(database: Database) {
  const asked: Asked[] = []
  const runtime = {
    ask: async (address: string, message: Record<string, unknown>) => void asked.push({ address, message }),
  }
  async function call(method: string, target: string, body?: unknown): Promise<Answer> {
    const url = new URL(target, 'http://x')
    for (const route of adminRoutes) {
      const pattern = new RegExp(`^${route.path.replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`)
      const match = pattern.exec(url.pathname)
      if (route.method !== method || !match) continue
      const nothing = v.strictObject({})
      const query = check(route.query ?? nothing, Object.fromEntries(url.searchParams))
      const parsed = check(route.body ?? nothing, structuredClone(body ?? {}))
      const violations = [query, parsed].flatMap((checked) => ('violations' in checked ? checked.violations : []))
      if (violations.length > 0) {
        return { status: 400, body: { error: { code: 'VALIDATION_ERROR', details: { violations } } } }
      }
      const input = {
        params: { ...match.groups },
        query: (query as { value: unknown }).value,
        body: (parsed as { value: unknown }).value,
      }
      try {
        const answer = await route.read!(input as never, { database, runtime } as never)
        return { status: route.status, body: answer === undefined ? undefined : JSON.parse(JSON.stringify(answer)) }
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        const { status } = errorCatalogue[error.code as ErrorCode] ?? { status: 500 }
        return { status, body: { error: { code: error.code, message: error.text, details: error.details } } }
      }
    }
    return { status: 404, body: undefined }
  }
  return { call, asked }
}
