/** The account of a provider that a channel is connected to. */
import type { Account } from '../../providers/mod.ts'
import type { ProjectChannel } from '../turn/state.ts'

/** The account as its adapter sees it. */
export function accountOf({ id, name, provider_account_id, credentials }: ProjectChannel): Account {
  return { channel_id: id, name, provider_account_id, credentials }
}

/** The account that holds templates and Flows is the same, and so is the secret that proves what is said of it. */
export function isSameAccount(one: ProjectChannel, other: ProjectChannel): boolean {
  const { business_account_id } = one.credentials
  return (
    one.channel_type === other.channel_type &&
    business_account_id !== undefined &&
    business_account_id === other.credentials.business_account_id &&
    isSameApp(one, other)
  )
}

/** The signature proves who holds the secret of one channel; it speaks for another only if that has the same one. */
export function isSameApp({ credentials: one }: ProjectChannel, { credentials: other }: ProjectChannel): boolean {
  return one.app_secret !== undefined && one.app_secret === other.app_secret
}
