/** The APIs that have a description, and what their descriptions say of them as a whole. */
import { readFileSync } from 'node:fs'
import type { Route } from '../server/route/route.ts'
import { describeApi } from './describe.ts'
import { type Document, openapi } from './document.ts'

export type ApiName = 'v1' | 'admin'

type Api = {
  prefix: string
  title: string
  description: string
  security: { name: string; description: string }
  webhooks: boolean
}

const apis: Record<ApiName, Api> = {
  v1: {
    prefix: '/v1/',
    title: 'Parley API',
    description: [
      'Messaging on WhatsApp, Instagram, Messenger, Telegram, TikTok, e-mail and web chat, with a CRM, assistants and webhooks.',
      'Bodies are JSON in UTF-8. Times are ISO 8601 in UTC with milliseconds. Unknown properties and query parameters are refused.',
      'Errors are `{ "error": { "code", "message", "details"? } }`; branch on `code`. Every answer to a failed authentication is the same 401.',
      'Fields may be added to responses and events at any time; receivers ignore those that they do not know.',
    ].join('\n\n'),
    security: {
      name: 'token',
      description: 'A personal access token, `svc_pk_…`. It belongs to one project and carries scopes.',
    },
    webhooks: true,
  },
  admin: {
    prefix: '/admin/v1/',
    title: 'Parley operator API',
    description: [
      'For operators of the service: companies, projects, users, tokens, channels and the records of the CRM.',
      'Conventions and errors are those of the public API. Lists have `limit` and `offset`; records carry `_id`.',
    ].join('\n\n'),
    security: { name: 'operator', description: 'An operator key, with one of the roles read, support and admin.' },
    webhooks: false,
  },
}

/** The routes of the API among those that a node serves. */
function routesOf(name: ApiName, routes: readonly Route[]): Route[] {
  return routes.filter(({ path, section }) => section !== undefined && path.startsWith(apis[name].prefix))
}

/** The document of the API, in which the server has this address. */
export function documentOf(name: ApiName, routes: readonly Route[], base_url: string): Document {
  const { title, description, security, webhooks } = apis[name]
  const recorded = JSON.parse(readFileSync(recordedFile(name), 'utf8')) as Record<string, unknown>
  return openapi(describeApi(routesOf(name, routes)), { title, description, base_url, security, webhooks, recorded })
}

/** The file with the responses of a node to the examples. `test/e2e/api_examples.test.ts` writes it. */
export function recordedFile(name: ApiName): URL {
  return new URL(`recorded/${name}.json`, import.meta.url)
}
