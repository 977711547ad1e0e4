import { Migration } from '@mikro-orm/migrations'

/**
 * Amounts of tickets as they were sent, with all their decimals. Taking the precision off a `numeric` rewrites no row. A
 * node of an earlier version goes on with its own: it takes amounts of up to four decimals and reads any.
 */
export class Migration0016TicketAmount extends Migration {
  override up(): void {
    this.addSql('alter table ticket alter column amount type numeric')
  }

  override down(): void {
    this.addSql('alter table ticket alter column amount type numeric(19,4)')
  }
}
