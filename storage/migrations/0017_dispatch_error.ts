import { Migration } from '@mikro-orm/migrations'

/** Why a message waits for its next attempt. */
export class Migration0017DispatchError extends Migration {
  override up(): void {
    this.addSql('alter table dispatch add column last_error json')
  }

  override down(): void {
    this.addSql('alter table dispatch drop column last_error')
  }
}
