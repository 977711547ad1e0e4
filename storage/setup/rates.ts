import { writeAudit } from '../audit/write_audit.ts'
import type { Database } from '../database/database.ts'
import type { Rate } from '../entities/messages/rate.ts'
import { sql } from '../sql/sql.ts'
import { newDate } from '../values/time.ts'

export type RateInput = Omit<Rate, 'created_at'>

/** The currency of the rates that stay, or of the caps on marketing; the given rates have another one. */
export class OtherCurrency extends Error {
  override name = 'OtherCurrency'
  readonly currency: string

  constructor(currency: string) {
    super(`the currency is ${currency}`)
    this.currency = currency
  }
}

/**
 * Stores rates of one currency. A rate of the same market, category and day is replaced. `replaces_all`: no other rates stay.
 * @throws {OtherCurrency} when rates that stay, or caps of projects, have another currency; nothing is written then
 */
export async function storeRates(
  database: Database,
  rates: readonly RateInput[],
  { replaces_all }: { replaces_all: boolean },
): Promise<void> {
  const { currency, valid_from } = rates[0]!
  await database.em().transactional(async (em) => {
    await em.execute(sql`lock table rate in share row exclusive mode`)
    if (replaces_all) await em.execute(sql`delete from rate`)
    const [other] = await em.execute<{ currency: string }[]>(sql`
      select currency from rate where currency <> ${currency}
      union all
      select monthly_marketing_cap->>'currency' from project where monthly_marketing_cap->>'currency' <> ${currency}
      limit 1`)
    if (other) throw new OtherCurrency(other.currency)
    await em.execute(sql`
      insert into rate (market, category, valid_from, currency, amount, created_at)
      select market, category, valid_from, currency, amount, ${newDate().toISOString()}
      from json_to_recordset(${JSON.stringify(rates)}) as r(market text, category text, valid_from text, currency text, amount numeric)
      on conflict (market, category, valid_from) do update
        set currency = excluded.currency, amount = excluded.amount, created_at = excluded.created_at`)
    const after = { valid_from, currency, rates: rates.length, replaces_all }
    await writeAudit(database, em, { target_kind: 'rate', after })
  })
}
