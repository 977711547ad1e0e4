/** The rates by which messages are priced: cards that providers publish, loaded by the operator. */
import * as v from 'valibot'
import {
  across,
  forgetRates,
  isAmount,
  isCalendarDay,
  isCurrency,
  marketNamed,
  OTHER,
  rateRecord,
  warnings,
  withoutOther,
} from '../../../actors/mod.ts'
import { findRateCurrency, listRates, OtherCurrency, type RateInput, storeRates } from '../../../storage/mod.ts'
import type { Violation } from '../../server/errors/api_error.ts'
import { refuseInvalid } from '../../server/errors/invalid.ts'
import type { RequestContext } from '../../server/route/route.ts'
import { offset, pageAmong, uncountedPageOf, wholeLimit } from '../../server/schema/fields.ts'
import { operatorRoute } from '../operator_route.ts'

/** Markets of one import at most. */
const MAX_MARKETS = 1000

const amount = v.optional(
  v.nullable(
    v.pipe(
      v.number('must be a number'),
      v.check(isAmount, 'must be from 0 to 1000000000, with at most 6 places after the point'),
    ),
  ),
)

/** Categories of the provider, as columns of its rate card. */
const prices = {
  marketing: amount,
  marketing_lite: amount,
  utility: amount,
  authentication: amount,
  authentication_international: amount,
  service: amount,
}
const categories = Object.keys(prices) as (keyof typeof prices)[]

const market = v.pipe(
  v.string('must be a string'),
  v.check(
    (text) => marketNamed(text) !== undefined,
    'must be a market of a rate card (a country, a region such as Rest of Africa, or Other), or the beginning of numbers such as +5255',
  ),
  v.transform((text) => marketNamed(text)!),
)

const day = v.pipe(
  v.string('must be a day, such as 2026-10-01'),
  v.regex(/^\d{4}-\d\d-\d\d$/, 'must be a day, such as 2026-10-01'),
  v.check(isCalendarDay, 'must be a day of the calendar'),
)

type Market = { market: string } & { [Category in keyof typeof prices]?: number | null | undefined }

const card = v.pipe(
  v.strictObject({
    valid_from: v.pipe(day, v.description('The first day of these rates; they begin at 00:00 UTC')),
    currency: v.pipe(
      v.string('must be a string'),
      v.check(isCurrency, 'must be a currency code of ISO 4217, in capitals, such as USD'),
    ),
    markets: v.pipe(
      v.array(v.strictObject({ market, ...prices })),
      v.minLength(1, 'must name a market'),
      v.maxLength(MAX_MARKETS, `must have at most ${MAX_MARKETS} markets`),
    ),
    replaces_all: v.optional(
      v.pipe(
        v.boolean('must be true or false'),
        v.description('Removes all earlier rates, also those of earlier days'),
      ),
      false,
    ),
    dry_run: v.optional(v.pipe(v.boolean('must be true or false'), v.description('Checks, and stores nothing')), false),
  }),
  across((value, say) => {
    const seen = new Set<string>()
    const { markets } = value as { markets?: unknown }
    for (const [index, one] of (Array.isArray(markets) ? markets : []).entries()) {
      const { market: name } = (one ?? {}) as Market
      const key = typeof name === 'string' ? (marketNamed(name) ?? name) : undefined
      if (key === undefined) continue
      if (seen.has(key)) say('must be named once', ['markets', index, 'market'])
      seen.add(key)
    }
  }),
)

type Card = v.InferOutput<typeof card>

function ratesOf({ valid_from, currency, markets }: Card): RateInput[] {
  return (markets as Market[]).flatMap((one) =>
    categories.flatMap((category) => {
      const amount = one[category]
      return amount == null ? [] : [{ market: one.market, category, valid_from, currency, amount }]
    }),
  )
}

/** @throws {Refusal} VALIDATION_ERROR */
async function load(input: Card, { database }: RequestContext) {
  const { replaces_all, dry_run, currency, valid_from } = input
  const rates = ratesOf(input)
  if (rates.length === 0) refuseInvalid([violation('markets', 'must have an amount')])
  const known = replaces_all ? null : await findRateCurrency(database)
  if (known !== null && known !== currency) refuseInvalid([otherCurrency(known)])
  if (!dry_run) {
    try {
      await storeRates(database, rates, { replaces_all })
    } catch (error) {
      if (error instanceof OtherCurrency) refuseInvalid([otherCurrency(error.currency)])
      throw error
    }
    forgetRates(database)
  }
  const markets = new Set(rates.map((one) => one.market))
  const warnings = markets.has(OTHER) ? [] : [withoutOther]
  return { valid_from, currency, market_count: markets.size, rate_count: rates.length, dry_run, warnings }
}

function violation(path: string, message: string): Violation {
  return { path, message, code: 'invalid_value' }
}

function otherCurrency(currency: string): Violation {
  return violation(
    'currency',
    `must be ${currency}, the currency of the rates that stay or of the caps on marketing; all rates have one currency`,
  )
}

const { market: shown_market, category } = rateRecord.entries

export const rateRoutes = [
  operatorRoute({
    method: 'POST',
    path: '/admin/v1/rates',
    operation: 'load_rates',
    summary:
      'Load the rates of a card that a provider publishes; those of the same market, category and day are replaced',
    example: {
      body: {
        valid_from: '2026-10-01',
        currency: 'USD',
        markets: [
          { market: 'Mexico', marketing: 0.0305, utility: 0.0085, authentication: 0.0085 },
          { market: 'Other', marketing: 0.0604, utility: 0.0077, authentication: 0.0077 },
        ],
      },
    },
    status: 200,
    body: card,
    response: v.object({
      valid_from: v.string(),
      currency: v.string(),
      market_count: v.number(),
      rate_count: v.number(),
      dry_run: v.boolean(),
      warnings,
    }),
    change: ({ body }, context) => load(body, context),
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/v1/rates',
    operation: 'list_rates',
    summary: 'List the rates by market and category, the latest first',
    status: 200,
    query: v.strictObject({
      market: v.optional(v.pipe(shown_market, v.description('As a rate card names it'))),
      category: v.optional(category),
      limit: wholeLimit,
      offset,
    }),
    response: uncountedPageOf(rateRecord),
    async read({ query: { limit, offset, market: name, category } }, { database }) {
      const market = name === undefined ? undefined : (marketNamed(name) ?? name)
      const filter = { ...(market !== undefined && { market }), ...(category !== undefined && { category }) }
      return pageAmong(await listRates(database, filter), { limit, offset })
    },
  }),
]
