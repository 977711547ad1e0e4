import type { WhatsappCredentials } from './channel_credentials.ts'

/** Asks WhatsApp's Cloud API about a number: does it accept the credentials, and which templates does it hold. */

const defaultBaseUrl = 'https://graph.facebook.com'
const version = 'v25.0'
/** An operator waits for the answer, so a hanging provider must not hold it for long. */
const patience_ms = 5_000
const templatesPerPage = 100
/** 250 templates are usual, 6000 the most Meta allows per account. */
const mostPages = 60

export type ProviderTemplate = {
  name: string
  language: string
  status: string
  category: string
  components: Record<string, unknown>[]
}

export type AccountAnswer<Value> =
  | { ok: true; value: Value }
  /** `definitive`: the provider understood and said no; otherwise it could not be asked. */
  | { ok: false; reason: string; definitive: boolean }

/** Whether the provider knows the number and accepts the access token. */
export async function probeNumber(credentials: WhatsappCredentials): Promise<AccountAnswer<unknown>> {
  return ask(credentials, `${credentials.phone_number_id}?fields=id,display_phone_number,verified_name,quality_rating`)
}

/** All templates of the business account, in pages. */
export async function fetchTemplates(credentials: WhatsappCredentials): Promise<AccountAnswer<ProviderTemplate[]>> {
  const templates: ProviderTemplate[] = []
  let after = ''
  for (let page = 0; page < mostPages; page++) {
    const path = `${credentials.business_account_id}/message_templates?limit=${templatesPerPage}${after}`
    const answer = await ask<TemplatePage>(credentials, path)
    if (!answer.ok) return answer
    const { data, paging } = answer.value
    if (!Array.isArray(data)) return refusal('The provider answered without a list of templates.', false)
    templates.push(...data.filter(isTemplate).map(toTemplate))
    const cursor = paging?.next ? paging.cursors?.after : undefined
    if (!cursor) break
    after = `&after=${encodeURIComponent(cursor)}`
  }
  return { ok: true, value: templates }
}

type TemplatePage = { data?: unknown[]; paging?: { next?: string; cursors?: { after?: string } } }
type ProviderError = { error?: { code?: unknown; message?: unknown } }

async function ask<Value>(credentials: WhatsappCredentials, path: string): Promise<AccountAnswer<Value>> {
  const base = (credentials.api_base_url ?? defaultBaseUrl).replace(/\/+$/, '')
  const root = /\/v\d+\.\d+$/.test(base) ? base : `${base}/${version}`
  let response: Response
  let body: unknown
  try {
    response = await fetch(`${root}/${path}`, {
      headers: { authorization: `Bearer ${credentials.access_token}`, accept: 'application/json' },
      redirect: 'error',
      signal: AbortSignal.timeout(patience_ms),
    })
    body = await response.json().catch(() => undefined)
  } catch (error) {
    return refusal(`${new URL(base).host} could not be reached: ${causeOf(error)}.`, false)
  }
  if (response.ok) return { ok: true, value: (body ?? {}) as Value }
  const { code, message } = (body as ProviderError | undefined)?.error ?? {}
  if (typeof code !== 'number') return refusal(`${new URL(base).host} answered ${response.status}.`, false)
  return refusal(`The provider refused (${code}): ${String(message)}`.slice(0, 500), isDefinitive(code))
}

/** Meta's codes for a token, permission, parameter or account that will not work until someone changes it. */
function isDefinitive(code: number): boolean {
  return [0, 3, 10, 100, 190, 368, 131005, 131031, 133010].includes(code) || (code >= 200 && code <= 299)
}

function refusal(reason: string, definitive: boolean) {
  return { ok: false as const, reason, definitive }
}

function causeOf(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return `no answer within ${patience_ms / 1000} s`
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return (cause as { code?: string }).code ?? String((cause as Error).message)
}

function isTemplate(value: unknown): value is Record<string, unknown> & { name: string; language: string } {
  const template = value as Record<string, unknown> | null
  return typeof template?.name === 'string' && typeof template.language === 'string'
}

function toTemplate(value: Record<string, unknown> & { name: string; language: string }): ProviderTemplate {
  return {
    name: value.name,
    language: value.language,
    status: typeof value.status === 'string' ? value.status : 'UNKNOWN',
    category: typeof value.category === 'string' ? value.category : 'UNKNOWN',
    components: Array.isArray(value.components) ? value.components : [],
  }
}
